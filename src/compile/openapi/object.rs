//! An Operation Object, read in one pass: every look-up walks it, and it has a dozen members that somebody wants.

use crate::compile::document::Node;

/// An Operation Object.
#[derive(Debug, Clone, Copy)]
pub(super) struct OperationObject<'d> {
    pub(super) node: Node<'d>,
    pub(super) reference: Option<Node<'d>>,
    pub(super) id: Option<Node<'d>>,
    pub(super) summary: Option<Node<'d>>,
    pub(super) description: Option<Node<'d>>,
    pub(super) tags: Option<Node<'d>>,
    pub(super) deprecated: Option<Node<'d>>,
    pub(super) parameters: Option<Node<'d>>,
    pub(super) body: Option<Node<'d>>,
    pub(super) responses: Option<Node<'d>>,
    pub(super) security: Option<Node<'d>>,
    pub(super) servers: Option<Node<'d>>,
    pub(super) callbacks: Option<Node<'d>>,
}

impl<'d> OperationObject<'d> {
    /// Reads what should be one; whatever is none has no members.
    pub(super) fn of(node: Node<'d>) -> Self {
        let mut object = Self {
            node,
            reference: None,
            id: None,
            summary: None,
            description: None,
            tags: None,
            deprecated: None,
            parameters: None,
            body: None,
            responses: None,
            security: None,
            servers: None,
            callbacks: None,
        };
        for (key, value) in node.entries() {
            let member = match key {
                "$ref" => &mut object.reference,
                "operationId" => &mut object.id,
                "summary" => &mut object.summary,
                "description" => &mut object.description,
                "tags" => &mut object.tags,
                "deprecated" => &mut object.deprecated,
                "parameters" => &mut object.parameters,
                "requestBody" => &mut object.body,
                "responses" => &mut object.responses,
                "security" => &mut object.security,
                "servers" => &mut object.servers,
                "callbacks" => &mut object.callbacks,
                _ => continue,
            };
            *member = Some(value);
        }
        object
    }

    /// The demand of the operation itself.
    pub(super) fn own_security(&self) -> Option<Node<'d>> {
        self.security.filter(|own| !own.is_null())
    }
}
