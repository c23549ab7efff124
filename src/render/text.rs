//! stub
pub fn clean(text: &str) -> String {
    text.to_owned()
}
