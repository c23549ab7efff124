//! Many agents, each with a view of its own, that write and take over each other's lines at random: in
//! the end all of them read the same from their own files. `GOAL_AGENTS` says how many there are.

use std::collections::BTreeSet;

use crate::domain::id::EventId;
use crate::domain::testing::Ledger;
use crate::domain::testing::histories::{Random, told};
use crate::domain::time::rfc3339;

/// How many heads a line names at most besides the last line.
const MOST_NAMED: usize = 256;

/// As many goals as agents, divided by this.
const AGENTS_A_GOAL: usize = 20;

/// Of so many agents what they read is compared.
const COMPARED: usize = 8;

/// What an agent has.
#[derive(Clone, Default)]
struct View {
    /// Lines in the order of its file.
    file: Vec<u32>,
    /// The same, a bit a line.
    has: Vec<u64>,
    heads: BTreeSet<u32>,
    /// How wrong its clock is, in milliseconds.
    skew: i64,
}

impl View {
    fn has(&self, line: u32) -> bool {
        let word = self.has.get(line as usize / 64);
        word.is_some_and(|word| word & (1 << (line % 64)) != 0)
    }

    fn add(&mut self, line: u32) {
        let word = line as usize / 64;
        if self.has.len() <= word {
            self.has.resize(word + 1, 0);
        }
        self.has[word] |= 1 << (line % 64);
        self.file.push(line);
    }

    /// Takes over what the other has besides, behind its own lines.
    fn take(&mut self, other: &View) {
        let heads = |one: &View, other: &View| {
            let heads = one.heads.iter().copied();
            let stays = |line: &u32| !other.has(*line) || other.heads.contains(line);
            heads.filter(stays).collect::<BTreeSet<u32>>()
        };
        let all = &heads(self, other) | &heads(other, self);
        self.heads = all;
        for line in &other.file {
            if !self.has(*line) {
                self.add(*line);
            }
        }
    }
}

struct World {
    lines: Vec<String>,
    ids: Vec<EventId>,
    now: i64,
}

impl World {
    /// Writes lines as a transaction does: the first ones name what one line cannot.
    fn write(&mut self, view: &mut View, body: &str) {
        self.now += 1;
        let at = rfc3339(self.now + view.skew);
        let last = view.file.last().copied();
        let other = view
            .heads
            .iter()
            .copied()
            .filter(|line| Some(*line) != last);
        let mut other: Vec<EventId> = other.map(|line| self.ids[line as usize]).collect();
        other.sort_unstable();
        let joined = format!("\"type\":\"ledger_joined\",\"heads\":{}", other.len());
        let mut prev = last.map_or(EventId::ZERO, |line| self.ids[line as usize]);
        let joins = other.len().saturating_sub(1) / MOST_NAMED;
        for body in std::iter::repeat_n(joined.as_str(), joins).chain([body]) {
            let also: Vec<String> = other
                .drain(..other.len().min(MOST_NAMED))
                .map(|id| format!("\"{id}\""))
                .collect();
            let also = match also.is_empty() {
                true => String::new(),
                false => format!(",\"also\":[{}]", also.join(",")),
            };
            let line =
                format!("{{{body},\"at\":\"{at}\",\"by\":\"user\",\"prev\":\"{prev}\"{also}}}");
            prev = EventId::of_line(line.as_bytes());
            let number = u32::try_from(self.lines.len()).unwrap();
            self.lines.push(line);
            self.ids.push(prev);
            view.add(number);
            view.heads = BTreeSet::from([number]);
        }
    }

    fn ledger(&self, view: &View) -> Ledger {
        let mut ledger = Ledger::default();
        let lines = view.file.iter().map(|line| &self.lines[*line as usize]);
        lines.for_each(|line| ledger.append(line));
        ledger
    }
}

/// Something that an agent may do without having looked.
fn act(random: &mut Random, number: usize, goals: usize) -> String {
    let goal = random.below(goals);
    let of = |kind: &str, more: &str| format!("\"type\":\"{kind}\",\"goalId\":\"g{goal}\",{more}");
    match random.below(6) {
        0 => of(
            "goal_tweaked",
            &format!("\"changeSummary\":\"s\",\"objective\":\"o{}\"", number % 7),
        ),
        1 => of("goal_paused", "\"reason\":\"r\""),
        2 => of("goal_resumed", "\"reason\":\"r\""),
        3 => of(
            "task_added",
            &format!("\"tasks\":[{{\"id\":\"t{number}\",\"title\":\"t\"}}]"),
        ),
        4 if number.is_multiple_of(50) => of("goal_aborted", "\"reason\":\"r\""),
        _ => of("goal_noted", &format!("\"note\":\"n{number}\"")),
    }
}

/// Two agents, both changed.
fn pair(views: &mut [View], one: usize, other: usize) -> Option<(&mut View, &mut View)> {
    let (low, high) = (one.min(other), one.max(other));
    let (before, behind) = views.split_at_mut(high);
    (low != high).then(|| (&mut before[low], &mut behind[0]))
}

#[test]
fn agents_that_exchange_at_random_come_to_the_same() {
    let count = std::env::var("GOAL_AGENTS").map_or(300, |text| text.parse().unwrap());
    let mut random = Random(count as u64);
    let goals = (count / AGENTS_A_GOAL).max(1);
    let mut world = World {
        lines: Vec::new(),
        ids: Vec::new(),
        now: 1_790_000_000_000,
    };
    let mut first = View::default();
    for goal in 0..goals {
        let created = format!(
            "\"type\":\"goal_created\",\"goalId\":\"g{goal}\",\"objective\":\"o\",\
             \"sisyphus\":false,\"autoContinue\":true"
        );
        world.write(&mut first, &created);
    }
    let skewed = |_| View {
        skew: random.below(2 * 86_400_000) as i64 - 86_400_000,
        ..first.clone()
    };
    let mut views: Vec<View> = (0..count).map(skewed).collect();
    // While they work, each acts about once, and meets others now and then.
    for number in 0..count {
        world.write(
            &mut views[random.below(count)],
            &act(&mut random, number, goals),
        );
        let (one, other) = (random.below(count), random.below(count));
        if let Some((one, other)) = pair(&mut views, one, other) {
            one.take(other);
        }
    }
    // Then they only meet.
    let (whole, mut rounds) = (world.lines.len(), 0);
    while views.iter().any(|view| view.file.len() < whole) {
        rounds += 1;
        for one in 0..count {
            let other = random.below(count);
            if let Some((one, other)) = pair(&mut views, one, other) {
                one.take(other);
                other.take(one);
            }
        }
    }
    let compared: Vec<usize> = (0..COMPARED.min(count))
        .map(|_| random.below(count))
        .collect();
    let files: BTreeSet<&[u32]> = compared.iter().map(|it| &*views[*it].file).collect();
    let heads = views[compared[0]].heads.len();
    let first = told(&world.ledger(&views[compared[0]]));
    for view in &compared[1..] {
        assert!(told(&world.ledger(&views[*view])) == first, "agent {view}");
    }
    eprintln!(
        "{count} agents, {whole} lines, {heads} heads, all lines everywhere after {rounds} rounds; {} \
         different files read the same",
        files.len()
    );
    assert!(files.len() > 1);
}
