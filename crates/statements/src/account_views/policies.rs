//! Rows of POLICY_REFERENCES and TAG_REFERENCES: which policies and tags objects, users and the account have, as far as the
//! role may know of both.

use firn_catalog::PolicyOwner;

use super::Row;
use super::objects::Asked;
use crate::authorise::{Authority, Secured};
use crate::login_policies::LoginPolicies;
use crate::policies::references;
use crate::run_error::RunError;
use crate::tags;

impl Asked<'_> {
    pub fn policy_references(&self) -> Result<Vec<Row>, RunError> {
        let authority = Authority::new(&self.services.catalog, self.session, &self.state.role);
        let mut rows = Vec::new();
        for reference in references(self.services, self.session, &self.services.catalog.databases())? {
            let sees_entity = match &reference.object {
                Some(object) => authority.sees(object.as_ref())?,
                None => true,
            };
            let sees_tag = match &reference.tag {
                Some(tag) => authority.sees(Secured::routine(tag))?,
                None => true,
            };
            if sees_entity && sees_tag && authority.sees(Secured::routine(&reference.policy))? {
                rows.push(reference.cells());
            }
        }
        rows.extend(self.login_policy_references()?);
        Ok(rows)
    }

    /// The policies of the account and of users.
    fn login_policy_references(&self) -> Result<Vec<Row>, RunError> {
        let catalog = &self.services.catalog;
        let policies = LoginPolicies { services: self.services, session: self.session, state: self.state };
        let visibility = self.state.visibility(catalog);
        let principals = catalog.principals();
        let mut rows = Vec::new();
        for database in catalog.databases() {
            for policy in catalog.login_policies(&database.name, None) {
                if !policies.sees(&policy)? {
                    continue;
                }
                for owner in catalog.owners_of_login_policy(policy.id) {
                    let (name, domain) = match owner {
                        PolicyOwner::Account => (catalog.account(), "ACCOUNT"),
                        PolicyOwner::User(id) => match principals.user_by_id(id).filter(|user| visibility.user(user)) {
                            Some(user) => (user.name.clone(), "USER"),
                            None => continue,
                        },
                    };
                    rows.push(vec![
                        Some(policy.database.clone()),
                        Some(policy.schema.clone()),
                        Some(policy.name.clone()),
                        Some(policy.kind.label()),
                        None,
                        None,
                        Some(name),
                        Some(domain.to_owned()),
                        None,
                        None,
                        None,
                        None,
                        None,
                    ]);
                }
            }
        }
        Ok(rows)
    }

    pub fn tag_references(&self) -> Result<Vec<Row>, RunError> {
        let authority = Authority::new(&self.services.catalog, self.session, &self.state.role);
        let rows = tags::rows(self.services, self.session, Some(&authority), &self.services.catalog.databases())?;
        let row = |row: tags::TagRow| {
            let name = &row.tag.routine.name;
            vec![
                Some(name.database().to_owned()),
                Some(name.schema().to_owned()),
                Some(name.name.clone()),
                Some(row.value),
                Some(row.domain),
                row.database,
                row.schema,
                Some(row.name),
                row.column,
            ]
        };
        Ok(rows.into_iter().map(row).collect())
    }
}
