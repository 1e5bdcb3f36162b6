//! Which driver a session is of, as far as answers depend on it.

use serde_json::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientFamily {
    /// The Python driver up to version 4, and all that is built on it.
    Python,
    /// Drivers on the core in Rust, whatever language they are for.
    Universal,
    Node,
    Go,
    Jdbc,
    Odbc,
    Other,
}

impl ClientFamily {
    /// From what a login says. The name alone does not tell: programs that are built on a driver replace it. Some versions of the
    /// driver for Node say capabilities too, and whoever has its name reads JSON.
    pub fn of_login(application: Option<&str>, environment: &Value, capabilities: &Value) -> Self {
        if application == Some("JavaScript") {
            return Self::Node;
        }
        if capabilities.is_object() {
            return Self::Universal;
        }
        if !environment["PYTHON_VERSION"].is_null() {
            return Self::Python;
        }
        if !environment["GO_VERSION"].is_null() {
            return Self::Go;
        }
        match application {
            Some("Go") => Self::Go,
            Some("JDBC") => Self::Jdbc,
            Some("ODBC") => Self::Odbc,
            Some("PythonConnector") => Self::Python,
            _ => Self::Other,
        }
    }

    /// The session parameter that chooses the format of its results.
    pub fn format_parameter(self) -> Option<&'static str> {
        match self {
            Self::Python | Self::Universal => Some("PYTHON_CONNECTOR_QUERY_RESULT_FORMAT"),
            Self::Go => Some("GO_QUERY_RESULT_FORMAT"),
            Self::Jdbc => Some("JDBC_QUERY_RESULT_FORMAT"),
            Self::Odbc => Some("ODBC_QUERY_RESULT_FORMAT"),
            Self::Node | Self::Other => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::ClientFamily;

    #[test]
    fn drivers_are_told_by_what_they_say_of_themselves() {
        let family =
            |application, environment, capabilities| ClientFamily::of_login(application, &environment, &capabilities);
        let none = || json!(null);
        assert_eq!(family(Some("MyTool"), json!({"PYTHON_VERSION": "3.11"}), none()), ClientFamily::Python);
        assert_eq!(family(Some("MyTool"), json!({"PYTHON_VERSION": "3.11"}), json!({})), ClientFamily::Universal);
        for capabilities in [none(), json!({"SMK_ID_AS_STRING": true})] {
            assert_eq!(family(Some("JavaScript"), none(), capabilities), ClientFamily::Node);
        }
        assert_eq!(family(Some("Go"), json!({"GO_VERSION": "1.25"}), none()), ClientFamily::Go);
        assert_eq!(family(None, none(), none()), ClientFamily::Other);
    }
}
