//! Document of detected and tried checks.

use referee_report::initial::{
    DetectedProject, InitialDocument, KIND, Proposed, ProposedOutput, ProposedPolicy, ProposedService,
};
use referee_spec::detect::{PolicyProposal, Project, Proposal, ReadySign, ServiceProposal};

use super::trial::Tried;

pub(super) fn document(project: Project, tried: Tried, specification: Option<String>) -> InitialDocument {
    let (needed, spare): (Vec<_>, Vec<_>) = project.services.into_iter().partition(|service| service.needed);
    let Tried { mut results, ignores, untried } = tried;
    let mut tried = |proposal: Proposal| {
        let trial = results.remove(&proposal.name);
        Proposed { trial, ..proposed(proposal) }
    };
    InitialDocument {
        init_version: KIND.version,
        written: None,
        title: project.title,
        projects: project
            .parts
            .into_iter()
            .map(|part| DetectedProject {
                ecosystem: part.ecosystem.as_str(),
                directory: shown(part.directory),
                signs: part.signs,
            })
            .collect(),
        workflows: project.workflows,
        prerequisites: project.prerequisites.into_iter().map(&mut tried).collect(),
        services: needed.into_iter().map(proposed_service).collect(),
        checks: project.checks.into_iter().map(&mut tried).collect(),
        policies: project.policies.into_iter().map(proposed_policy).collect(),
        not_working: project.not_working.into_iter().map(&mut tried).collect(),
        left_to_people: project.left_to_people.into_iter().map(proposed).collect(),
        outputs: project
            .outputs
            .into_iter()
            .map(|output| ProposedOutput { path: output.path, because: output.because })
            .collect(),
        ignores,
        not_tried: untried,
        services_left_to_people: spare.into_iter().map(proposed_service).collect(),
        notes: project.notes,
        specification,
    }
}

fn shown(directory: String) -> String {
    if directory.is_empty() { ".".to_owned() } else { directory }
}

fn proposed(proposal: Proposal) -> Proposed {
    Proposed {
        name: proposal.name,
        run: proposal.line,
        directory: shown(proposal.directory),
        profile: proposal.level,
        role: proposal.role,
        needs: proposal.needs,
        exit_code_only: proposal.exit_code_only,
        because: proposal.because,
        trial: None,
    }
}

fn proposed_service(service: ServiceProposal) -> ProposedService {
    let ready = match service.ready {
        ReadySign::Url(url) => url,
        ReadySign::Port(port) => format!("port {port}"),
    };
    ProposedService {
        name: service.name,
        run: service.line,
        directory: shown(service.directory),
        ready,
        because: service.because,
    }
}

fn proposed_policy(policy: PolicyProposal) -> ProposedPolicy {
    ProposedPolicy { policy: policy.written(), tool: policy.tool, because: policy.because }
}
