//! Column references: from the innermost scope outwards.

use firn_sql::ast::{Expr, Ident};

use super::Binder;
use crate::bound::Node;
use crate::error::BindError;
use crate::node::NodeId;
use crate::scope::Resolved;
use crate::types::ValueType;

impl Binder<'_> {
    pub(super) fn column_reference(&mut self, name: &[Ident]) -> ValueType {
        self.resolve(name).map_or_else(ValueType::unknown, |node| node.value)
    }

    /// What a name refers to. A name that is not found, or that is ambiguous, is noted as an error.
    pub(super) fn resolve(&mut self, name: &[Ident]) -> Option<Node> {
        for scope in self.scopes.iter().rev() {
            match scope.resolve(name) {
                Resolved::Missing => {}
                Resolved::Unknown => return None,
                Resolved::Ambiguous => {
                    self.bound.errors.push(BindError::ambiguous(name));
                    return None;
                }
                Resolved::Column(node) => {
                    self.set_node(name.last().and_then(NodeId::of_name), node.clone());
                    return Some(node);
                }
            }
        }
        self.bound.errors.push(BindError::invalid(name));
        None
    }

    /// `$1`.
    pub(super) fn positional_reference(&mut self, expr: &Expr, position: usize) -> ValueType {
        match self.scopes.last().map(|scope| scope.resolve_position(position)) {
            Some(Resolved::Column(node)) => {
                self.set_node(NodeId::of(expr), node.clone());
                node.value
            }
            Some(Resolved::Missing) => {
                self.bound.errors.push(BindError::invalid_position(expr, position));
                ValueType::unknown()
            }
            _ => ValueType::unknown(),
        }
    }

    pub(super) fn set_node(&mut self, id: Option<NodeId>, node: Node) {
        if let Some(place) = id.and_then(|id| self.bound.nodes.get_mut(id.index())) {
            *place = Some(node);
        }
    }
}
