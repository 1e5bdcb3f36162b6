//! Turns a question in plain English and a semantic model into SQL, or into what could be asked instead.
