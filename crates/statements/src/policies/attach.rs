//! Who may attach policies to tables and views and take them off, and to which columns they fit.

use firn_catalog::Tagged;
use firn_engine::{ObjectPolicies, RoutineDescription, Session};
use firn_sql::ast::Expr;
use firn_sql::command::{
    AssignedTag, Command, ContainerChange, CreateMode, DataType, Ddl, PolicyChange, PolicyReference, TableChange,
    TagChange, ViewChange,
};
use firn_sql::invokers::forget_invokers;
use firn_sql::names::display_identifier;
use firn_sql::privileges::Privilege;
use firn_sql::resolve::Uses;
use firn_sql::routines::{Call, NamedDatabase, Routine, RoutineChange, RoutineKind, expand_scalar, type_word};
use firn_sql::{Failure, ObjectName, cast_expression, print, select_values, type_in_tree};

use super::attached::find;
use super::named_databases::identified;
use super::tag_policies::{is_on_a_tag, own_tag};
use super::{attachments, current_tags};
use crate::authorise::{Authority, Secured};
use crate::routines::body_of_policy;
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;
use crate::tags::{Assigning, TagMask, Tags};

/// Looks up the policies that a command attaches, and decides whether it may.
pub fn prepare(
    services: &Services,
    session: &mut dyn Session,
    state: &SessionState,
    ddl: &mut Ddl,
) -> Result<(), RunError> {
    if let Some(read) = check_body(services, session, state, ddl)? {
        match ddl {
            Ddl::CreateRoutine { routine, .. } => routine.databases = Some(read),
            Ddl::AlterRoutine { change: RoutineChange::SetBody(_, databases), .. } => *databases = read,
            _ => {}
        }
    }
    let session = &*session;
    let attaching = Attaching { services, session, state };
    match ddl {
        Ddl::CreateTable(table) if !table.policies.is_empty() => {
            let columns = table.columns.iter().map(|column| (column.name.clone(), column.data_type.clone())).collect();
            attaching.new_relation(columns, &mut table.policies)
        }
        Ddl::CreateView(view) if !view.policies.is_empty() => {
            let columns = view.columns.iter().map(|column| (column.name.clone(), None)).collect();
            attaching.new_relation(columns, &mut view.policies)
        }
        Ddl::AlterTable { name, change, .. } => attaching.alter_table(name, change),
        Ddl::CreateDatabase { tags, .. } | Ddl::CreateSchema { tags, .. } => attaching.container(tags, &[], None),
        Ddl::AlterDatabase { name, change: ContainerChange::SetTags(changes), .. } => {
            let Some(record) = services.catalog.database(name) else { return Ok(()) };
            let assigned = services.catalog.tags_of(&Tagged::database(record.id));
            attaching.container(changes, &assigned, Some(("database", &record.owner, name)))
        }
        Ddl::AlterSchema { name, change: ContainerChange::SetTags(changes), .. } => {
            let schemas = session.schemas(name.database())?.into_iter();
            let Some(found) = schemas.into_iter().find(|found| found.name == name.schema) else { return Ok(()) };
            attaching.container(changes, &found.tags, Some(("schema", &found.owner, &name.schema)))
        }
        Ddl::AlterRoutine { kind: RoutineKind::Tag, name, change, .. } => match own_tag(session, &state.role, name)? {
            Some(tag) => attaching.tag_policies(&tag, change),
            None => Ok(()),
        },
        Ddl::AlterView { name, change: ViewChange::SetPolicies(changes), .. } => {
            let Some(mut relation) = attaching.relation(name)? else { return Ok(()) };
            changes.iter_mut().try_for_each(|change| attaching.change(&mut relation, change))
        }
        _ => Ok(()),
    }
}

/// A policy that something has is neither dropped nor replaced; its body can be changed.
pub fn refuse_change_in_use(services: &Services, session: &dyn Session, ddl: &Ddl) -> Result<(), RunError> {
    let (kind, name) = match ddl {
        Ddl::CreateRoutine { routine, mode: CreateMode::OrReplace, .. } => (routine.kind, &routine.name),
        Ddl::DropRoutine { kind, name, .. } => (*kind, name),
        _ => return Ok(()),
    };
    if !kind.is_policy() || services.catalog.database(name.database()).is_none() {
        return Ok(());
    }
    let Some(policy) = named(session, kind, name)? else { return Ok(()) };
    let in_use = || {
        let shown = display_identifier(&name.name);
        let message = format!(
            "SQL compilation error:\nPolicy {shown} cannot be dropped/replaced as it is associated with one or more entities."
        );
        RunError::from(Failure::new("001132", "23001", message))
    };
    if is_on_a_tag(services, session, &policy)? {
        return Err(in_use());
    }
    for attachment in attachments(services, session)? {
        let reference = &attachment.attached.policy;
        if reference.id != policy.id {
            continue;
        }
        let meant = find(services, session, attachment.object.name.database(), reference)?;
        if meant.routine.name == *name {
            return Err(in_use());
        }
    }
    Ok(())
}

pub(super) fn named(
    session: &dyn Session,
    kind: RoutineKind,
    name: &ObjectName,
) -> Result<Option<RoutineDescription>, RunError> {
    let mut all = session.routines(name.database())?.into_iter();
    Ok(all.find(|found| found.routine.kind == kind && found.routine.name == *name))
}

/// The body of a policy is planned when it is made, so that its mistakes are reported then. Returns the databases that it reads.
fn check_body(
    services: &Services,
    session: &mut dyn Session,
    state: &SessionState,
    ddl: &Ddl,
) -> Result<Option<Vec<NamedDatabase>>, RunError> {
    let described = match ddl {
        Ddl::CreateRoutine { routine, .. } if routine.kind.is_policy() => RoutineDescription {
            id: 0,
            routine: Routine::clone(routine),
            owner: state.role.name.clone(),
            created_on_ms: 0,
        },
        Ddl::AlterRoutine { kind, name, change: RoutineChange::SetBody(body, _), .. } => {
            // Of a policy that is not the role's own nothing is said before it is refused.
            let own = named(session, *kind, name)?.filter(|found| state.role.may_use_what_is_owned_by(&found.owner));
            let Some(mut found) = own else { return Ok(None) };
            found.routine.body.clone_from(body);
            found
        }
        _ => return Ok(None),
    };
    let (mut called, databases) = body_of_policy(services, session, state, described, (None, ""))?;
    current_tags::substitute(&Tags::new(services, session), None, &mut called)?;
    if let Command::Query(query) = &mut called.body.statement.command {
        forget_invokers(&mut **query);
    }
    let null = |data_type: &DataType| -> Result<Expr, Failure> {
        Ok(cast_expression(print::read_expression("NULL")?, type_in_tree(data_type)))
    };
    let arguments = called.routine.parameters.iter().map(|parameter| Ok((None, null(&parameter.data_type)?)));
    let call = Call { arguments: arguments.collect::<Result<_, Failure>>()? };
    let value = expand_scalar(&called.routine, &call, called.body)?;
    let query = Command::Query(select_values(vec![value])?);
    let context = state.execution_context(&services.catalog, &Uses::default());
    session.explain(&query, &context)?;
    Ok(Some(identified(&services.catalog, &databases)))
}

/// The columns of a relation as far as they are known, and its policies after the changes so far.
struct Relation {
    name: Option<ObjectName>,
    columns: Vec<(String, Option<DataType>)>,
    policies: ObjectPolicies,
    is_owned: bool,
}

impl Relation {
    /// Empty for one that is created by the statement.
    fn database(&self) -> &str {
        self.name.as_ref().map(ObjectName::database).unwrap_or_default()
    }
}

pub(super) struct Attaching<'a> {
    pub(super) services: &'a Services,
    pub(super) session: &'a dyn Session,
    pub(super) state: &'a SessionState,
}

impl Attaching<'_> {
    fn new_relation(
        &self,
        columns: Vec<(String, Option<DataType>)>,
        changes: &mut [PolicyChange],
    ) -> Result<(), RunError> {
        let mut relation = Relation { name: None, columns, policies: ObjectPolicies::default(), is_owned: true };
        changes.iter_mut().try_for_each(|change| self.change(&mut relation, change))
    }

    /// Tags of a database or schema that has some already; an owner and a name, if it is not created by the statement.
    fn container(
        &self,
        changes: &mut [TagChange],
        assigned: &[AssignedTag],
        existing: Option<(&'static str, &str, &str)>,
    ) -> Result<(), RunError> {
        if changes.is_empty() {
            return Ok(());
        }
        let not_owned = existing.filter(|(_, owner, _)| !self.state.role.may_use_what_is_owned_by(owner));
        let assigning = self.assigning(not_owned.map(|(kind, _, name)| (kind, display_identifier(name))));
        assigning.prepare(changes)?;
        let mut after = assigned.to_vec();
        TagChange::apply_all(changes, &mut after);
        assigning.check_count(&after)
    }

    fn assigning(&self, not_owned: Option<(&'static str, String)>) -> Assigning<'_> {
        Assigning { tags: Tags::new(self.services, self.session), role: &self.state.role, not_owned }
    }

    fn relation(&self, name: &ObjectName) -> Result<Option<Relation>, RunError> {
        let Some(found) = self.session.describe(name)? else { return Ok(None) };
        let columns = found.columns.iter().map(|column| (column.name.clone(), Some(column.data_type.clone())));
        Ok(Some(Relation {
            name: Some(found.name.clone()),
            columns: columns.collect(),
            policies: found.options.policies.clone(),
            is_owned: self.state.role.may_use_what_is_owned_by(&found.owner),
        }))
    }

    fn alter_table(&self, name: &ObjectName, change: &mut TableChange) -> Result<(), RunError> {
        let Some(mut relation) = self.relation(name)? else { return Ok(()) };
        self.table_change(&mut relation, change)
    }

    fn table_change(&self, relation: &mut Relation, change: &mut TableChange) -> Result<(), RunError> {
        match change {
            TableChange::Policy(change) => self.change(relation, change),
            TableChange::Several(changes) => {
                changes.iter_mut().try_for_each(|change| self.table_change(relation, change))
            }
            TableChange::AddColumns { columns, .. } => {
                relation.columns.extend(columns.iter().map(|column| (column.name.clone(), column.data_type.clone())));
                let mut policies = columns.iter_mut().flat_map(|column| &mut column.policies);
                policies.try_for_each(|change| self.change(relation, change))
            }
            TableChange::DropColumns { columns, .. } => {
                match columns.iter().find(|column| relation.policies.use_column(column)) {
                    Some(column) => Err(column_in_use(column)),
                    None => Ok(()),
                }
            }
            // A value that cannot be converted would be shown.
            TableChange::SetDataType { column, .. } if relation.policies.use_column(column) => {
                Err(column_in_use(column))
            }
            // A column of another type could escape its mask.
            TableChange::SetDataType { column, .. } if self.tag_mask(relation, column)?.is_some() => {
                Err(column_in_use(column))
            }
            TableChange::SetDataType { .. } if relation.policies.row_access.is_some() => {
                Err(Failure::unsupported("changing a column's type in a table with a row access policy").into())
            }
            _ => Ok(()),
        }
    }

    /// The mask that a column of a table has by its tags.
    fn tag_mask(&self, relation: &Relation, column: &str) -> Result<Option<TagMask>, RunError> {
        let found = relation.name.as_ref().map(|name| self.session.describe(name)).transpose()?.flatten();
        let Some(found) = found else { return Ok(None) };
        let mut masks = Tags::new(self.services, self.session).masks(&found)?.into_iter();
        Ok(masks.find(|mask| mask.attached.columns.first().is_some_and(|masked| masked == column)))
    }

    /// A policy of the column comes before that of a tag, so that setting it takes the latter off.
    fn may_hide_tag(&self, relation: &Relation, column: &str) -> Result<(), RunError> {
        let Some(mask) = self.tag_mask(relation, column)? else { return Ok(()) };
        self.may_apply(&find(self.services, self.session, &mask.home, &mask.attached.policy)?)
    }

    /// Completes one change with the identity of its policy or tags.
    fn change(&self, relation: &mut Relation, change: &mut PolicyChange) -> Result<(), RunError> {
        match change {
            PolicyChange::SetMasking { column, policy, using, force } => {
                let found = self.policy(RoutineKind::MaskingPolicy, &policy.name)?;
                self.may_attach(&found, relation)?;
                let columns = if using.is_empty() { std::slice::from_ref(column) } else { using.as_slice() };
                if columns.first() != Some(column) {
                    return Err(wrong("the first column of USING is the one that is masked."));
                }
                check_columns(relation, &found.routine, columns)?;
                self.refuse_masked_arguments(
                    relation.database(),
                    &relation.policies,
                    columns.get(1..).unwrap_or_default(),
                )?;
                self.refuse_mask_of_argument(&relation.policies, column, &found)?;
                if let Some(before) = relation.policies.mask(column) {
                    if before.policy.id != found.id && !*force {
                        return Err(wrong(
                            "Specified column already attached to another masking policy. A column cannot be attached to \
                             multiple masking policies. Please drop the current association in order to attach a new \
                             masking policy.",
                        ));
                    }
                    self.may_take_off(relation, &before.policy)?;
                } else {
                    self.may_hide_tag(relation, column)?;
                }
                policy.reference = Some(reference(&found));
            }
            PolicyChange::UnsetMasking { column } => {
                require_column(relation, column)?;
                if let Some(before) = relation.policies.mask(column) {
                    self.may_take_off(relation, &before.policy)?;
                }
            }
            PolicyChange::AddRowAccess { policy, columns } => {
                let found = self.policy(RoutineKind::RowAccessPolicy, &policy.name)?;
                self.may_attach(&found, relation)?;
                check_columns(relation, &found.routine, columns)?;
                self.refuse_masked_arguments(relation.database(), &relation.policies, columns)?;
                if relation.policies.row_access.is_some() {
                    let shown = relation.name.as_ref().map(|name| display_identifier(&name.name)).unwrap_or_default();
                    return Err(wrong(&format!(
                        "Object {shown} already has a ROW_ACCESS_POLICY. Only one ROW_ACCESS_POLICY is allowed at a time."
                    )));
                }
                policy.reference = Some(reference(&found));
            }
            PolicyChange::DropRowAccess { policy } => {
                let found = self.policy(RoutineKind::RowAccessPolicy, &policy.name)?;
                let before = relation.policies.row_access.as_ref().filter(|before| before.policy.id == found.id);
                let before = before.ok_or_else(|| missing(RoutineKind::RowAccessPolicy, &policy.name))?;
                self.may_take_off(relation, &before.policy)?;
            }
            PolicyChange::Tags { column, changes } => {
                if let Some(column) = column {
                    require_column(relation, column)?;
                }
                let shown = relation.name.as_ref().map(|name| display_identifier(&name.name)).unwrap_or_default();
                let assigning = self.assigning((!relation.is_owned).then_some(("table", shown)));
                assigning.prepare(changes)?;
                relation.policies.apply(change);
                return assigning.check_counts(&relation.policies);
            }
            PolicyChange::DropAllRowAccess => {
                if let Some(before) = &relation.policies.row_access {
                    self.may_take_off(relation, &before.policy)?;
                }
            }
        }
        relation.policies.apply(change);
        Ok(())
    }

    /// A policy that the role may know of.
    pub(super) fn policy(&self, kind: RoutineKind, name: &ObjectName) -> Result<RoutineDescription, RunError> {
        let gone = || RunError::from(missing(kind, name));
        if self.services.catalog.database(name.database()).is_none() {
            return Err(gone());
        }
        let found = named(self.session, kind, name)?.ok_or_else(gone)?;
        let authority = Authority::new(&self.services.catalog, self.session, &self.state.role);
        match self.applies_all(kind) || authority.sees(Secured::routine(&found))? {
            true => Ok(found),
            false => Err(gone()),
        }
    }

    /// APPLY MASKING POLICY or APPLY ROW ACCESS POLICY on the account.
    pub(super) fn applies_all(&self, kind: RoutineKind) -> bool {
        let privilege = match kind {
            RoutineKind::MaskingPolicy => Privilege::ApplyMaskingPolicy,
            _ => Privilege::ApplyRowAccessPolicy,
        };
        self.services.catalog.has_account_privilege(&self.state.role, privilege)
    }

    /// The account's privilege lets a policy be attached to anything; APPLY on the policy, to what is the role's own.
    fn may_attach(&self, policy: &RoutineDescription, relation: &Relation) -> Result<(), RunError> {
        self.may_apply(policy)?;
        match (&relation.name, relation.is_owned || self.applies_all(policy.routine.kind)) {
            (Some(name), false) => {
                Err(Failure::insufficient_privileges("table", &display_identifier(&name.name)).into())
            }
            _ => Ok(()),
        }
    }

    /// Whether the role may attach the policy to anything at all.
    pub(super) fn may_apply(&self, policy: &RoutineDescription) -> Result<(), RunError> {
        let authority = Authority::new(&self.services.catalog, self.session, &self.state.role);
        let RoutineDescription { routine, .. } = policy;
        if self.applies_all(routine.kind) || authority.has(Secured::routine(policy), Privilege::Apply)? {
            return Ok(());
        }
        let kind = routine.kind.word();
        match authority.sees(Secured::routine(policy))? {
            true => Err(Failure::insufficient_privileges(
                &kind.to_ascii_lowercase(),
                &display_identifier(&routine.name.name),
            )
            .into()),
            false => Err(hidden_policy(kind)),
        }
    }

    /// The owner of a table alone cannot take a policy off it.
    fn may_take_off(&self, relation: &Relation, policy: &PolicyReference) -> Result<(), RunError> {
        match find(self.services, self.session, relation.database(), policy) {
            Ok(found) => self.may_attach(&found, relation),
            // The policy was dropped with its schema or database.
            Err(_)
                if self.applies_all(RoutineKind::MaskingPolicy) && self.applies_all(RoutineKind::RowAccessPolicy) =>
            {
                Ok(())
            }
            Err(error) => Err(error),
        }
    }
}

pub(super) fn reference(found: &RoutineDescription) -> PolicyReference {
    PolicyReference { database: found.routine.name.database().to_owned(), id: found.id }
}

pub(super) fn missing(kind: RoutineKind, name: &ObjectName) -> Failure {
    Failure::missing_object(kind.title(), &name.to_string())
}

pub(super) fn wrong(message: &str) -> RunError {
    Failure::new("001003", "42601", format!("SQL compilation error:\n{message}")).into()
}

/// The refusal for a policy that is attached and that the role may not know of.
fn hidden_policy(kind: &str) -> RunError {
    let message = format!(
        "SQL access control error:\nInsufficient privileges to take off the {} that is attached there; roles with APPLY on it, \
         or with APPLY {kind} on the account, can.",
        kind.to_ascii_lowercase()
    );
    Failure::new("003001", "42501", message).into()
}

fn column_in_use(column: &str) -> RunError {
    wrong(&format!("column '{}' is used by a policy; unset the policy first.", display_identifier(column)))
}

fn require_column<'relation>(
    relation: &'relation Relation,
    name: &str,
) -> Result<Option<&'relation DataType>, RunError> {
    match relation.columns.iter().find(|(column, _)| column == name) {
        Some((_, data_type)) => Ok(data_type.as_ref()),
        // The columns of a query are not known here.
        None if relation.columns.is_empty() => Ok(None),
        None => {
            let message = format!("SQL compilation error:\ninvalid identifier '{}'", display_identifier(name));
            Err(Failure::new("000904", "42000", message).into())
        }
    }
}

/// A policy gets as many columns as it has arguments, each of the same kind of type.
fn check_columns(relation: &Relation, policy: &Routine, columns: &[String]) -> Result<(), RunError> {
    if columns.len() != policy.parameters.len() {
        return Err(wrong(&format!(
            "the policy {} has {} arguments but gets {} columns.",
            display_identifier(&policy.name.name),
            policy.parameters.len(),
            columns.len()
        )));
    }
    for (name, parameter) in columns.iter().zip(&policy.parameters) {
        let Some(data_type) = require_column(relation, name)? else { continue };
        if type_word(data_type) != type_word(&parameter.data_type) {
            return Err(wrong(&format!(
                "Column '{}' data type '{}' does not match with policy argument data type '{}'.",
                display_identifier(name),
                data_type.full_name(),
                parameter.data_type.full_name()
            )));
        }
    }
    Ok(())
}
