//! Over HTTP: a plan and arguments become a request, a reply becomes facts.
