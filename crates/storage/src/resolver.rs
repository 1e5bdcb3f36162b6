//! Which addresses requests of the server reach.

use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

use crate::allowed::may_be_reached;

/// Leaves out link-local addresses, and those of no single machine.
#[derive(Debug, Default)]
pub struct CarefulResolver(DefaultResolver);

impl Resolver for CarefulResolver {
    fn resolve(
        &self,
        uri: &ureq::http::Uri,
        config: &ureq::config::Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = self.0.resolve(uri, config, timeout)?;
        let mut allowed = self.empty();
        found.iter().filter(|address| may_be_reached(address.ip())).for_each(|address| allowed.push(*address));
        if allowed.is_empty() { Err(ureq::Error::HostNotFound) } else { Ok(allowed) }
    }
}

#[cfg(test)]
mod tests {
    use ureq::Agent;
    use ureq::unversioned::transport::DefaultConnector;

    use super::*;

    #[test]
    fn link_local_addresses_are_not_reached() {
        let config = Agent::config_builder().proxy(None).build();
        let agent = Agent::with_parts(config, DefaultConnector::default(), CarefulResolver::default());
        for host in ["169.254.169.254", "[fe80::1]", "[::ffff:169.254.169.254]", "0.0.0.0"] {
            let refused = agent.get(format!("http://{host}/")).call();
            assert!(matches!(refused, Err(ureq::Error::HostNotFound)), "{host}: {refused:?}");
        }
    }
}
