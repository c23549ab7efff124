//! What can be told of a message that cannot be read: its id, and whether it asks or answers. It
//! takes the bytes as they come, keeps a few of them, and never fails: depth, length and encoding
//! of what else stands in the message do not matter.

use rmcp::model::RequestId;

/// The longest name or id that is looked at, in bytes.
const LONGEST: usize = 256;

/// What was seen so far of one message.
#[derive(Debug, Default)]
pub(super) struct Glimpse {
    id: Option<RequestId>,
    /// It has a method, so it is a request or a notification.
    pub(super) asks: bool,
    /// It has a result or an error, so it is a response.
    answers: bool,
    /// How many objects and lists are open.
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// The field of the message whose value is read.
    field: Option<Vec<u8>>,
    /// What stands there of a field's name or of a short value.
    word: Vec<u8>,
}

impl Glimpse {
    pub(super) fn of(line: &[u8]) -> Glimpse {
        let mut glimpse = Glimpse::default();
        glimpse.see(line);
        glimpse
    }

    /// Goes on with the next bytes of the message.
    pub(super) fn see(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.see_one(*byte);
        }
    }

    /// The id of the request, where it is one and the id can be known. A response has the id of
    /// another request, which nobody may take for its own.
    pub(super) fn id(&self) -> Option<&RequestId> {
        self.id.as_ref().filter(|_| !self.is_response())
    }

    pub(super) fn is_response(&self) -> bool {
        self.answers && !self.asks
    }

    fn see_one(&mut self, byte: u8) {
        if self.in_string {
            self.keep(byte);
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => {
                self.in_string = true;
                self.keep(byte);
            }
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.end_value();
                self.depth = self.depth.saturating_sub(1);
            }
            b',' => self.end_value(),
            b':' if self.depth == 1 => self.field = Some(std::mem::take(&mut self.word)),
            b' ' | b'\t' | b'\r' | b'\n' => {}
            _ => self.keep(byte),
        }
    }

    /// Only what stands in the message itself is kept, and one byte more than is looked at.
    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.word.len() <= LONGEST {
            self.word.push(byte);
        }
    }

    fn end_value(&mut self) {
        if self.depth != 1 {
            return;
        }
        let value = std::mem::take(&mut self.word);
        match self.field.take().as_deref() {
            Some(b"\"id\"") if value.len() <= LONGEST => {
                self.id = serde_json::from_slice(&value).ok();
            }
            Some(b"\"method\"") => self.asks = true,
            Some(b"\"result\"" | b"\"error\"") => self.answers = true,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(line: &[u8]) -> Option<String> {
        // In whatever pieces it comes.
        let whole = Glimpse::of(line).id().map(ToString::to_string);
        let mut pieces = Glimpse::default();
        line.chunks(3).for_each(|piece| pieces.see(piece));
        assert_eq!(pieces.id().map(ToString::to_string), whole);
        whole
    }

    #[test]
    fn an_id_is_found_beside_whatever_cannot_be_read() {
        let deep = "[".repeat(5000) + &"]".repeat(5000);
        let long = "x".repeat(1 << 20);
        for odd in [
            r#""\ud800""#.to_owned(),
            r#""a\"b\\", "c": {"id": 1}"#.to_owned(),
            r#"{"id": 1, "x": [2, {"id": 3}]}"#.to_owned(),
            format!("\"{long}\""),
            deep,
            "nonsense".to_owned(),
        ] {
            for (written, read) in [("7", "7"), (r#" "a-1" "#, "a-1"), ("-3", "-3")] {
                let before = format!(r#"{{"id":{written},"method":"m","params":{odd}}}"#);
                assert_eq!(id(before.as_bytes()).as_deref(), Some(read));
                let behind = format!(r#"{{"method":"m","params":{odd}, "id" : {written}}}"#);
                assert_eq!(id(behind.as_bytes()).as_deref(), Some(read));
            }
        }
        assert_eq!(
            id(b"{\"id\":4,\"params\":\"\xff\xfe\"}").as_deref(),
            Some("4")
        );
        // Cut off behind it.
        assert_eq!(id(br#"{"id":4,"params":{"x"#).as_deref(), Some("4"));
    }

    #[test]
    fn what_is_no_id_of_a_request_is_none() {
        let long = format!(r#"{{"id":"{}"}}"#, "9".repeat(300));
        for line in [
            "",
            "hello",
            "[]",
            r#"[{"id":1}]"#,
            r#"{"id":null}"#,
            r#"{"id":1.5}"#,
            r#"{"id":[1]}"#,
            r#"{"id":{"id":1}}"#,
            // Who knows what would have followed.
            r#"{"id":1"#,
            // Responses, whose ids are ours.
            r#"{"id":1,"result":{}}"#,
            r#"{"error":"\ud800","id":1}"#,
            &long,
        ] {
            assert_eq!(id(line.as_bytes()), None, "{line}");
        }
        assert!(Glimpse::of(br#"{"id":1,"method":"m","result":1}"#).asks);
        assert!(Glimpse::of(br#"{"id":1,"result":1}"#).is_response());
    }
}
