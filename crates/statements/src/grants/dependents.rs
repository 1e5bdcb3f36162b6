//! Grants that were made with a grant option: who has the option, and what ends when it is lost.

use std::collections::HashSet;
use std::sync::Arc;

use firn_catalog::{Holder, PrivilegeGrant, Securable};
use firn_sql::privileges::Privilege;

use super::Grants;

impl Grants<'_> {
    pub(super) fn grants_of(&self, on: &Securable, privilege: Privilege) -> Vec<PrivilegeGrant> {
        let mut grants = self.catalog().grants_on(on);
        grants.retain(|grant| grant.privilege == privilege);
        grants
    }

    /// Whose grant option the role uses: its own if it has one, else that of a role it inherits, before those of secondary roles.
    pub(super) fn option_holder(&self, on: &Securable, privilege: Privilege) -> Option<String> {
        let role = &self.state.role;
        let grants = self.grants_of(on, privilege);
        let options = grants.iter().filter(|grant| grant.grant_option && role.held.contains(&*grant.grantee));
        let holders = options.map(|grant| &*grant.grantee);
        let holder = holders.min_by_key(|key| (**key != *role.name, !role.primary.contains(*key), *key));
        holder.map(str::to_owned)
    }

    /// Whose grant options a grantor without one of its own can have used. Who manages grants needs none.
    pub(super) fn inherited_by(&self, grantor: &str) -> Arc<HashSet<String>> {
        let principals = self.catalog().principals();
        match Holder::of_key(grantor) {
            Holder::Role(name) => {
                let role = principals.role_with_inherited(&name);
                let manages = |role: &_| self.catalog().has_account_privilege(role, Privilege::ManageGrants);
                role.filter(|role| !manages(role)).map(|role| role.held).unwrap_or_default()
            }
            Holder::DatabaseRole { database, name } => Arc::new(principals.held_by_database_role(database, &name)),
            Holder::User(_) => Arc::default(),
        }
    }
}

/// Of the grants of one privilege on one object those that nothing supports once the revoked ones are gone. What an owner
/// granted depends on no option, nor does what a role without one granted.
pub(super) fn dependents<'a>(
    all: &'a [PrivilegeGrant],
    owner: &str,
    is_revoked: impl Fn(&PrivilegeGrant) -> bool,
    inherited_by: impl Fn(&str) -> Arc<HashSet<String>>,
) -> Vec<&'a PrivilegeGrant> {
    let options: Vec<_> = all
        .iter()
        .map(|grant| match *grant.granted_by == *owner {
            true => Vec::new(),
            false => options_behind(grant, all, &inherited_by),
        })
        .collect();
    let mut supported = vec![false; all.len()];
    loop {
        let is_new = |(at, grant): &(usize, &PrivilegeGrant)| {
            let behind = options.get(*at).map(Vec::as_slice).unwrap_or_default();
            let holds = behind.is_empty() || behind.iter().any(|option| supported.get(*option) == Some(&true));
            holds && supported.get(*at) == Some(&false) && !is_revoked(grant)
        };
        let Some((at, _)) = all.iter().enumerate().find(is_new) else { break };
        if let Some(found) = supported.get_mut(at) {
            *found = true;
        }
    }
    let unsupported = all.iter().zip(supported).filter(|(grant, supported)| !supported && !is_revoked(grant));
    unsupported.map(|(grant, _)| grant).collect()
}

/// The positions of the options that the grant can have been made with. They are those of its grantor; if that has none, those
/// of the roles that it inherits, as former versions recorded the role that ran the GRANT.
fn options_behind(
    grant: &PrivilegeGrant,
    all: &[PrivilegeGrant],
    inherited_by: &impl Fn(&str) -> Arc<HashSet<String>>,
) -> Vec<usize> {
    let options_of = |is_holder: &dyn Fn(&str) -> bool| -> Vec<usize> {
        let is_option = |other: &PrivilegeGrant| {
            other.grant_option && other.grantee != other.granted_by && is_holder(&other.grantee)
        };
        all.iter().enumerate().filter(|(_, other)| is_option(other)).map(|(at, _)| at).collect()
    };
    let own = options_of(&|key| *key == *grant.granted_by);
    if !own.is_empty() {
        return own;
    }
    let inherited = inherited_by(&grant.granted_by);
    options_of(&|key| inherited.contains(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each grant as `grantor>grantee`, with `+` for the grant option.
    fn check(grants: &[&str], revoked: &str, inherited: &[(&str, &str)], ended: &[&str]) {
        let read = |text: &&str| {
            let (by, to) = text.trim_end_matches('+').split_once('>').unwrap_or_default();
            let (granted_by, grantee) = (Arc::from(by), Arc::from(to));
            let (privilege, grant_option) = (Privilege::Select, text.ends_with('+'));
            PrivilegeGrant { privilege, grantee, granted_by, grant_option, created_on_ms: 0 }
        };
        let all: Vec<_> = grants.iter().map(read).collect();
        let inherited_by = |key: &str| {
            let found = inherited.iter().filter(|(above, _)| *above == key).map(|(_, below)| (*below).to_owned());
            Arc::new(found.collect::<HashSet<_>>())
        };
        let found = dependents(&all, "OWNER", |grant| *grant.grantee == *revoked, inherited_by);
        let found: Vec<_> = found.iter().map(|grant| format!("{}>{}", grant.granted_by, grant.grantee)).collect();
        assert_eq!(found, ended, "{grants:?} without {revoked}");
    }

    #[test]
    fn what_was_granted_with_a_lost_option_ends_with_it() {
        check(&["OWNER>A+", "A>B+", "B>C"], "A", &[], &["A>B", "B>C"]);
        check(&["OWNER>A+", "OWNER>B+", "A>B+", "B>C"], "A", &[], &["A>B"]);
        check(&["OWNER>A+", "A>B+", "B>A+", "OWNER>C"], "A", &[], &["A>B"]);
        check(&["OWNER>A+", "A>B+", "B>C+", "C>B+"], "A", &[], &["A>B", "B>C", "C>B"]);
        check(&["OWNER>A", "X>B"], "A", &[], &[]);
    }

    #[test]
    fn what_the_role_above_is_recorded_for_ends_with_the_option_below() {
        let above = [("ABOVE", "A"), ("ABOVE", "B")];
        check(&["OWNER>A+", "ABOVE>C+", "C>D"], "A", &above, &["ABOVE>C", "C>D"]);
        check(&["OWNER>A+", "ABOVE>ABOVE+", "ABOVE>C"], "A", &above, &["ABOVE>ABOVE", "ABOVE>C"]);
        check(&["OWNER>A+", "OWNER>B+", "ABOVE>C"], "A", &above, &[]);
        check(&["OWNER>A+", "OWNER>ABOVE+", "ABOVE>C"], "A", &above, &[]);
    }
}
