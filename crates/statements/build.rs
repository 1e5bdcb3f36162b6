//! Links like the engine does.

#[path = "../engine/build.rs"]
mod engine;

fn main() {
    engine::main();
}
