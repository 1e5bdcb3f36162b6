//! Runs a target on mutated inputs, and names the input that breaks it.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use firn_tests::random::Random;

use crate::mutation::Mutator;

/// As the threads of the server have it: an overflow here would be one there.
const STACK_BYTES: usize = 32 << 20;

/// An input that takes so long, even on a busy machine, is taken for one that never ends.
const PATIENCE: Duration = Duration::from_secs(120);

const SEED: u64 = 20_261_117;

pub struct Campaign {
    /// The folder of the target's regressions.
    pub name: &'static str,
    /// Inputs in a short run.
    pub rounds: usize,
}

struct Watched {
    input: AtomicUsize,
    ended: AtomicBool,
}

impl Campaign {
    /// Tries the regressions, then mutations of the corpus.
    pub fn run(&self, corpus: &[String], target: impl Fn(&str) + Send) {
        assert!(!corpus.is_empty(), "{} has no corpus", self.name);
        let watched = Watched { input: AtomicUsize::new(0), ended: AtomicBool::new(false) };
        let last = self.last_input_file();
        std::thread::scope(|scope| {
            let (watched, last) = (&watched, last.as_path());
            scope.spawn(|| watch(watched, last));
            let work = move || self.try_all(corpus, &target, watched, last);
            let worker = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
            let outcome = worker.expect("a thread").join();
            watched.ended.store(true, Ordering::Relaxed);
            if let Err(panic) = outcome {
                resume_unwind(panic);
            }
        });
    }

    fn try_all(&self, corpus: &[String], target: &impl Fn(&str), watched: &Watched, last: &Path) {
        let seed = number("FIRN_SEED").unwrap_or(SEED);
        let rounds = number("FIRN_ROUNDS").map_or(self.rounds, |rounds| rounds as usize);
        let mut random = Random(seed);
        let mut mutator = Mutator::new(corpus);
        let mut file = File::create(last).expect("a file for the input that is tried");
        let mut slowest = (Duration::ZERO, String::new());
        let mut attempt = |input: &str, origin: &str| {
            // A stack overflow ends the process: the input has to be known before.
            file.seek(SeekFrom::Start(0)).and_then(|_| file.set_len(0)).expect("an empty file");
            file.write_all(input.as_bytes()).expect("the input is written");
            watched.input.fetch_add(1, Ordering::Relaxed);
            let begun = Instant::now();
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| target(input))) {
                eprintln!("{} breaks on {origin}, kept in {}:\n{input}", self.name, last.display());
                resume_unwind(panic);
            }
            if begun.elapsed() > slowest.0 {
                slowest = (begun.elapsed(), input.to_owned());
            }
        };
        for (name, input) in self.regressions() {
            attempt(&input, &name);
        }
        for round in 0..rounds {
            attempt(&mutator.next(&mut random), &format!("round {round} of FIRN_SEED={seed}"));
        }
        let shown: String = slowest.1.chars().take(300).collect();
        println!("{}: {rounds} inputs of seed {seed}, the slowest in {:?}: {shown}", self.name, slowest.0);
    }

    fn regressions(&self) -> Vec<(String, String)> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("regressions").join(self.name);
        let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
        paths.sort();
        let read = |path: PathBuf| (path.display().to_string(), std::fs::read_to_string(&path).expect("a text"));
        paths.into_iter().map(read).collect()
    }

    fn last_input_file(&self) -> PathBuf {
        std::env::temp_dir().join(format!("firn-fuzz-{}-{}", std::process::id(), self.name))
    }
}

fn watch(watched: &Watched, last: &Path) {
    let mut seen = (watched.input.load(Ordering::Relaxed), Instant::now());
    while !watched.ended.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(100));
        let input = watched.input.load(Ordering::Relaxed);
        if input != seen.0 {
            seen = (input, Instant::now());
        } else if seen.1.elapsed() > PATIENCE {
            eprintln!("an input is not done after {PATIENCE:?}; it is in {}", last.display());
            std::process::abort();
        }
    }
    // Nothing is left behind by a run that went well.
    let _ = std::fs::remove_file(last);
}

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} is {text:?}, not a number")))
}
