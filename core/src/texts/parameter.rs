//! The description of the parameter that names the project.

pub(crate) const WITHOUT_ROOTS: &str =
    "The project to work in, as an absolute path. Leave it out to work in the current project.";
pub(crate) const WITH_ROOTS: &str = "The project to work in: an absolute path, or the name of one of the client's folders ({names}). Leave it out to work in \
     the current project.";
