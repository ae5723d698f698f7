//! Numbers of what a program of pointers consists of.

macro_rules! ids {
    ($($(#[doc = $doc:literal])+ $name:ident;)*) => {
        $(
            $(#[doc = $doc])+
            #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
            pub struct $name(pub u32);

            impl $name {
                /// The position.
                #[must_use]
                pub fn index(self) -> usize {
                    self.0 as usize
                }
            }
        )*
    };
}

ids! {
    /// A pointer variable, or a cell that holds pointers: its position in
    /// [`PointerProgram::pointers`](super::program::PointerProgram::pointers).
    PointerId;
    /// A function or kernel: its position in [`PointerProgram::procedures`](super::program::PointerProgram::procedures).
    ProcedureId;
    /// A basic block: its position in [`Procedure::blocks`](super::program::Procedure::blocks).
    BlockId;
    /// A place where data gets its layout, such as an allocation. Numbered by the front end.
    SiteId;
}
