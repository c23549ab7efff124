//! Lists procedures: how well each one fits a question, and which files cannot be used.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::documents::procedures::{Broken, ProcedureLibrary, StoredProcedure, load};
use crate::domain::procedure::Procedure;
use crate::domain::procedure::rank::{APPLIES_FROM, rank};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::render::text::one_line;
use crate::workspace::config::Source;

/// The outcome of `procedure`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Procedures {
    /// In order of their ids, or of relevance if there is a question.
    pub procedures: Vec<ProcedureView>,
    /// Files that cannot be used.
    pub broken: Vec<Broken>,
    /// The question that the scores are for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<String>,
}

/// A procedure.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProcedureView {
    pub id: String,
    pub title: String,
    /// `project` or `user`.
    pub source: Source,
    pub path: String,
    pub intent: Vec<String>,
    pub parameters: Vec<String>,
    pub steps: Vec<StepView>,
    /// How well it fits the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relevance: Option<Relevance>,
    /// The whole file; only if this procedure was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// How well a procedure fits.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Relevance {
    /// BM25; comparable within one list only.
    pub score: f64,
    /// How much of the title, or of one intent, the question names: 0 to 1. The largest counts.
    pub coverage: f64,
    /// The least `coverage` with which a procedure applies.
    pub threshold: f64,
    pub applies: bool,
}

/// A step.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepView {
    pub title: String,
    /// `use_tool`, `gather_info`, `confirm`, `present_info` or `execute`.
    pub pred: String,
    pub args: Value,
    pub done_when: Vec<Value>,
}

impl ProcedureLibrary {
    /// The procedures alone.
    pub(in crate::ops) fn known(&self) -> Vec<Procedure> {
        let stored = self.procedures.iter();
        stored.map(|it| it.procedure.clone()).collect()
    }

    /// The procedure of this id.
    ///
    /// # Errors
    /// No usable procedure has it.
    pub(in crate::ops) fn named(&self, id: &str) -> Result<&StoredProcedure, Failure> {
        let mut stored = self.procedures.iter();
        stored.find(|it| it.procedure.id == id).ok_or_else(|| {
            let message = format!("there is no procedure `{}` that can be used", one_line(id));
            let hint =
                "`goal plan procedures list` shows all, `goal plan procedures check` those with mistakes";
            Failure::new("unknown_procedure", message, hint)
        })
    }
}

/// Every procedure of the project and of the user.
///
/// # Errors
/// The project's `procedures` is not a directory.
pub fn library(call: &Call) -> Result<ProcedureLibrary, Failure> {
    let workspace = &call.workspace;
    workspace.paths.check()?;
    let mut directories = vec![(Source::Project, workspace.paths.procedures())];
    if let Some(dirs) = &workspace.environment.dirs {
        directories.push((Source::User, dirs.procedures()));
    }
    Ok(load(&directories))
}

/// Lists procedures; with a question, the most relevant first.
pub fn list(call: &Call, asked: Option<&str>) -> Result<Procedures, Failure> {
    let library = library(call)?;
    let mut procedures: Vec<ProcedureView> = library.procedures.iter().map(view).collect();
    if let Some(asked) = asked {
        let known = library.known();
        let ranked = rank(asked, &known);
        for view in &mut procedures {
            let found = ranked.iter().find(|it| it.procedure.id == view.id);
            view.relevance = found.map(|it| Relevance {
                score: it.score,
                coverage: it.coverage,
                threshold: APPLIES_FROM,
                applies: it.applies,
            });
        }
        let place = |view: &ProcedureView| ranked.iter().position(|it| it.procedure.id == view.id);
        procedures.sort_by_key(place);
    }
    Ok(Procedures {
        procedures,
        broken: library.broken,
        asked: asked.map(str::to_owned),
    })
}

/// Shows the whole text of one procedure.
///
/// # Errors
/// No usable procedure has this id.
pub fn show(call: &Call, id: &str) -> Result<Procedures, Failure> {
    let library = library(call)?;
    let stored = library.named(id)?;
    let text = Some(stored.text.clone());
    Ok(Procedures {
        procedures: vec![ProcedureView {
            text,
            ..view(stored)
        }],
        broken: Vec::new(),
        asked: None,
    })
}

impl Procedures {
    /// The failure if some files cannot be used.
    pub fn failure(&self) -> Option<Failure> {
        let files = self.broken.len();
        (files > 0).then(|| {
            let message = format!("{files} of the procedures cannot be used");
            Failure::new("findings", message, "correct them; docs/work.md")
        })
    }
}

fn view(stored: &StoredProcedure) -> ProcedureView {
    let procedure = &stored.procedure;
    let steps = procedure.steps.iter().map(|step| StepView {
        title: step.title.clone(),
        pred: step.pred.name.clone(),
        args: step.pred.args.clone(),
        done_when: step.done_when.clone(),
    });
    ProcedureView {
        id: procedure.id.clone(),
        title: procedure.title.clone(),
        source: stored.source,
        path: stored.path.to_string(),
        intent: procedure.intent.clone(),
        parameters: procedure.parameters.clone(),
        steps: steps.collect(),
        relevance: None,
        text: None,
    }
}
