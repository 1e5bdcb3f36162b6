"""What the measuring commands take for right, and that a fit finds what made the data."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy
import scipy.sparse

import answers
import aspects
import dialect
import docs_tables
import expectations
import fit_confidence
import fitting
import judge
import report
import split
from comparison import Rows, Ties, cell, compare

HERE = Path(__file__).parent
SCHEMA = {
    "database": "zoo",
    "tables": [
        {
            "name": "animal",
            "columns": [
                {"name": "name", "type": "TEXT"},
                {"name": "Age", "type": "INT"},
                {"name": "Kind", "type": "VARCHAR(9)"},
                {"name": "born", "type": "DATETIME"},
            ],
            "primary_key": ["name"],
            "foreign_keys": [],
        }
    ],
}
ANIMALS = "name,Age,Kind,born\nAda,3,Cat,2020-01-02 00:00:00\nBo,5,dog,2018-01-02 10:00:00\nCy,5,cat,\nDi,,Dog,2021-05-01 00:00:00\n"


def question(gold_sql, rows, ordered=False):
    return {"gold_sql": gold_sql, "rows": rows, "ordered": ordered}


class Comparison(unittest.TestCase):
    def test_cells_are_compared_by_what_they_say(self):
        self.assertEqual(cell("007"), cell(7))
        self.assertEqual(cell("2020-1-2"), cell("2020-01-02 00:00:00"))
        self.assertNotEqual(cell("2020-1-2"), cell("2020-01-02 10:00"))
        self.assertEqual(cell("1_0"), "1_0")
        self.assertIsNone(cell(None))

    def test_rows_are_the_same_in_any_order_of_columns(self):
        rows = [(1.0, "a"), (2.0, "b")]
        for found, ordered, verdict in [
            ([("b", 2.0), ("a", 1.0)], False, "strict"),
            ([("b", 2.0), ("a", 1.0)], True, None),
            ([("b", 1.0), ("a", 2.0)], False, None),
            ([("a", "x", 1.0), ("b", "y", 2.0)], True, "relaxed"),
            ([(1.0,), (2.0,)], False, None),
            ([(1.0000005, "a"), (2.0, "b")], False, "strict"),
            ([(1.01, "a"), (2.0, "b")], False, None),
        ]:
            self.assertEqual(compare(Rows(rows, ordered), found), verdict, found)
        self.assertEqual(compare(Rows([], False), []), "strict")
        self.assertIsNone(compare(Rows([(None,)], False), [(0.0,)]))

    def test_of_tied_rows_any_will_do(self):
        ties = Ties([(1, [("a",)]), (1, [("b",), ("c",)])], True)
        for found, verdict in [(["a", "c"], "strict"), (["c", "a"], None), (["b", "c"], None), (["a", "d"], None)]:
            self.assertEqual(compare(ties, [(value,) for value in found]), verdict, found)
        self.assertEqual(compare(Ties(ties.groups, False), [("c",), ("a",)]), "strict")


class Labels(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.folder = Path(self.place.name) / "databases" / "zoo"
        self.folder.mkdir(parents=True)
        (self.folder / "schema.json").write_text(json.dumps(SCHEMA))
        (self.folder / "animal.csv").write_text(ANIMALS)
        self.cache = Path(self.place.name) / "answers.sqlite"
        answers.prepare(self.cache)
        self.known = answers.Answers(self.folder, self.cache, 1.0)

    def tearDown(self):
        self.known.save()
        self.place.cleanup()

    def check(self, asked, expected):
        found = {sql: self.known.label(asked, sql)[0] for sql in expected}
        self.assertEqual(found, expected)

    def test_a_limit_among_ties_has_several_right_answers(self):
        oldest = question("SELECT `name` FROM `animal` ORDER BY `Age` DESC LIMIT 1", [["Bo"]], True)
        self.check(oldest, {
            "SELECT name FROM animal WHERE name = 'Bo'": "strict",
            "SELECT name FROM animal WHERE name = 'Cy'": "ties",
            "SELECT name FROM animal WHERE name = 'Ada'": "wrong",
            "SELECT name, age FROM animal WHERE name = 'Cy'": "relaxed",
            "SELECT name FROM animal WHERE age = 5": "wrong",
            "SELECT nothing FROM animal": "failed",
        })

    def test_a_subquery_with_a_limit_stands_for_each_tied_value(self):
        oldest = "SELECT `name` FROM `animal` ORDER BY `Age` DESC LIMIT 1"
        asked = question(f"SELECT `Kind` FROM `animal` WHERE `name` = ({oldest})", [["dog"]])
        self.check(asked, {"SELECT 'dog'": "strict", "SELECT 'cat'": "ties", "SELECT 'DOG'": "case", "SELECT 'cow'": "wrong"})

    def test_case_counts_or_not(self):
        asked = question("SELECT COUNT(*) FROM `animal` WHERE `Kind` = 'cat'", [[2]])
        self.check(asked, {"SELECT 2": "strict", "SELECT 1": "case", "SELECT 0": "wrong"})
        # What case-sensitive text does not find is no right answer.
        asked = question("SELECT COUNT(*) FROM `animal` WHERE `Kind` = 'CAT'", [[2]])
        self.check(asked, {"SELECT 2": "strict", "SELECT 0": "wrong"})

    def test_ties_that_the_reference_rows_contradict_do_not_count(self):
        asked = question("SELECT `name` FROM `animal` ORDER BY `Age` DESC LIMIT 1", [["Ada"]], True)
        self.check(asked, {"SELECT 'Cy'": "wrong", "SELECT 'Ada'": "strict"})

    def test_slow_statements_fail_and_answers_are_stored(self):
        asked = question("SELECT 1", [[1]])
        slow = "SELECT COUNT(*) FROM range(10000000) a, range(10000000) b WHERE a.range % 7 = b.range % 11"
        self.check(asked, {slow: "failed", "SELECT 1": "strict"})
        self.known.save()
        self.known = answers.Answers(self.folder, self.cache, 1.0)
        self.check(asked, {slow: "failed", "SELECT 1": "strict"})
        self.assertIsNone(self.known.connection)

    def test_the_warehouse_dialect_runs(self):
        for sql, value in [
            ("SELECT DIV0(1, 0)", 0),
            ("SELECT IFF(1 > 0, 2, 3)", 2),
            ("SELECT ZEROIFNULL(NULL)", 0),
            ("SELECT DATEDIFF(YEAR, born, DATEADD(month, 24, born)) FROM animal WHERE name = 'Ada'", 2),
            ("SELECT DATE_TRUNC(MONTH, born) FROM animal WHERE name = 'Bo'", "2018-01-01"),
            ("SELECT YEAR(born) FROM ANIMAL WHERE NAME = 'Bo'", 2018),
            ("SELECT TO_VARCHAR(5)", 5),
        ]:
            self.assertEqual(self.known.label(question("SELECT 'x'", [[value]]), sql)[0], "strict", dialect.for_duckdb(sql))


class Fits(unittest.TestCase):
    def setUp(self):
        random = numpy.random.default_rng(3)
        self.planted = numpy.array([2.0, -1.0, 0.0])
        features = random.normal(size=(4000, 3)) * [1.0, 10.0, 1.0] / [1.0, 5.0, 1.0]
        starts = numpy.arange(0, 4001, 5)
        right = numpy.zeros(4000, dtype=bool)
        for start in starts[:-1]:
            noisy = features[start : start + 5] @ self.planted + random.gumbel(size=5)
            right[start + noisy.argmax()] = True
        databases = [f"d{number % 20}" for number in range(800)]
        names = ["a", "b", "idle"]
        sparse = scipy.sparse.csr_matrix(features)
        self.readings = judge.Readings(names, sparse, right, starts, databases, ["look"] * 800, [{}] * 800)

    def test_the_judge_finds_the_weights(self):
        weights = judge.fit(self.readings, 1e-6)
        self.assertTrue(numpy.allclose(weights, self.planted, atol=0.3), weights)

    def test_counts_do_not_choose(self):
        self.readings.names = ["a", "c_b", "idle"]
        self.assertEqual(judge.fit(self.readings, 1e-6)[1], 0.0)

    def test_probabilities_come_true(self):
        scores = judge.out_of_fold_scores(self.readings, 1e-6)
        _, inputs, right = fit_confidence.firsts(self.readings, scores)
        chances = fit_confidence.logistic(inputs @ fit_confidence.regress(inputs, right, numpy.ones(len(right)), 1e-5))
        for low, high in [(0.2, 0.6), (0.6, 0.9), (0.9, 1.01)]:
            own = (chances >= low) & (chances < high)
            self.assertAlmostEqual(chances[own].mean(), right[own].mean(), delta=0.06)

    def test_a_bound_has_the_precision_it_was_chosen_for(self):
        chances = numpy.repeat([0.9, 0.8, 0.3], 200)
        right = numpy.arange(600) % 20 < numpy.repeat([20, 18, 4], 200)
        self.assertEqual(fit_confidence.bound_for(chances, right, 0.95), (0.95, 0.8))
        self.assertEqual(fit_confidence.bound_for(chances, right, 0.96), (0.96, 0.9))
        self.assertIsNone(fit_confidence.bound_for(chances[200:], right[200:], 0.95))

    def test_folds_keep_databases_whole(self):
        fold = fitting.folds(self.readings.databases)
        self.assertEqual(len({(name, number) for name, number in zip(self.readings.databases, fold)}), 20)
        self.assertEqual(set(fold), set(range(fitting.FOLDS)))


class Expectations(unittest.TestCase):
    def test_a_reference_query_has_aspects(self):
        for sql, values in [
            ("SELECT `name`, t.`Age` FROM `animal` AS `t`", "2 2 none none none 0 0 key+number plain none"),
            ("SELECT COUNT(*), Kind FROM animal WHERE Age > 3 AND (born < 4 OR NOT Age = 5) GROUP BY Kind",
             "2 1 count group none 3 0 text grouped or"),
            ("SELECT Kind FROM animal GROUP BY Kind HAVING COUNT(*) > 1 ORDER BY COUNT(*) DESC LIMIT 1",
             "1 1 none group+having down+count+one 0 0 text grouped none"),
            ("SELECT COUNT(DISTINCT Kind), MAX(Age) FROM animal AS a JOIN animal AS b ON a.name = b.Kind ORDER BY a.Age",
             "2 0 count_distinct+maximum none up+column 0 1 none grouped none"),
            ("SELECT born FROM animal EXCEPT SELECT Kind FROM animal WHERE Age = 1", "1 1 none none none 0 0 date plain except"),
            ("SELECT DISTINCT Kind FROM animal WHERE NOT name IN (SELECT Kind FROM animal)",
             "1 1 none none none 1 0 text distinct except"),
            ("SELECT a.Kind FROM animal AS a JOIN animal AS b ON a.name = b.Kind WHERE a.Age = (SELECT MAX(Age) FROM animal)",
             "1 1 none none none 1 1 text joined value"),
        ]:
            self.assertEqual(" ".join(aspects.of(sql, SCHEMA).values()), values, sql)

    def test_words_let_expect_what_reference_queries_with_them_have(self):
        expected = expectations.Expectations()
        reading = lambda value: {"aspects": {name: value for name in aspects.NAMES}}
        for number in range(400):
            value = "12"[number % 2]
            line = {"database": f"d{number % 20 // 2}", "cues": ["any", f"word {value}"]}
            line["gold_aspects"] = {name: value for name in aspects.NAMES}
            expected.add(line, [reading("1"), reading("2"), reading("9")], number % 20 != 0)
        names, logs = expected.columns()
        self.assertEqual(names[0], "ExpectedShown")
        self.assertEqual(logs.shape, (1200, len(aspects.NAMES)))
        for number in range(400):
            right, wrong = (0, 1) if number % 2 == 0 else (1, 0)
            own = logs[3 * number : 3 * number + 3, 0]
            self.assertGreater(own[right], own[wrong])
            self.assertGreater(own[wrong], own[2] - 1e-6)


class Report(unittest.TestCase):
    def test_a_failure_has_the_cause_in_which_the_first_reading_looks_otherwise(self):
        look = {name: "1" for name in aspects.NAMES}
        line = {"gold_aspects": look, "readings": [{"sql": "SELECT 1", "aspects": look}]}
        self.assertEqual(report.cause_of(line), "names")
        line["gold_aspects"] = look | {"repeats": "distinct", "joins": "2"}
        self.assertEqual(report.cause_of(line), "distinct")
        self.assertEqual(report.cause_of(line | {"readings": []}), "none")


class Documentation(unittest.TestCase):
    def test_figures_replace_the_rows_of_a_table(self):
        judge = "| part | its databases are | questions | oracle | first as it came | first by the judge |\n|---|\n"
        judge += "| held | never seen | 1460 | 86.3 % | 76.7 % | 78.5 % |\n"
        self.assertEqual(docs_tables.parts(judge), ["| held | 11 | 1,460 | 86.3 % | 78.5 % |"])
        output = "\n".join([docs_tables.COVERAGE, "|---|", "| 10 % | 0.910 | 97.0 % |", "", docs_tables.BOUNDS, "|---|",
                          "| 0.870 | 95 % | 94.0 % | 30.4 % | 1.8 % |", "| 0.500 | 80 % | 80.0 % | 80.0 % | 9.0 % |"])
        rows = ["| 0.910 | 10 % | 97.0 % | 0.3 % |", "| 0.870 | 30 % | 94.0 % | 1.8 % |"]
        self.assertEqual(docs_tables.risk(output), rows)
        text = f"before\n\n{docs_tables.RISK}\n|---|\n| old |\n\nbehind\n"
        self.assertEqual(docs_tables.replaced(text, docs_tables.RISK, rows).count("old"), 0)
        self.assertTrue(docs_tables.replaced(text, docs_tables.RISK, rows).endswith("1.8 % |\n\nbehind\n"))


class Split(unittest.TestCase):
    def test_parts_are_apart(self):
        counts = {part: len(databases) for part, databases in json.loads(split.FILE.read_text()).items()}
        self.assertEqual(counts, {"tuned": 39, "held": 11, "look": 43, "untouched": 43})
        self.assertEqual(len(split.parts()), 136)

    def test_single_failures_of_untouched_databases_are_not_printed(self):
        line = {"id": "x-1", "database": "x", "part": "untouched", "question": "secret?", "gold_sql": "SELECT 1", "micros": 5}
        line |= {"sql": "SELECT 2", "answer": "wrong", "readings": []}
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            file.write(json.dumps(line) + "\n")
            file.flush()
            command = [sys.executable, HERE / "report.py", file.name, "--failures", "not-generated"]
            output = subprocess.run(command, text=True, capture_output=True, check=True).stdout
            self.assertNotIn("secret", output)
            refused = subprocess.run([*command, "--part", "untouched"], text=True, capture_output=True)
            self.assertEqual(refused.returncode, 1)


if __name__ == "__main__":
    unittest.main()
