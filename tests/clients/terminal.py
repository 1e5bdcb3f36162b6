"""A command in a terminal: what it shows is kept as a screen, what is typed goes to it, and it is told where the cursor is."""

import os
import signal
import time

import pexpect
import pyte

PATIENCE_S = 60
ROWS, COLUMNS = 24, 100

CTRL_C, CTRL_D, UP, TAB, ENTER = "\x03", "\x04", "\x1b[A", "\t", "\r"


class AnsweringScreen(pyte.HistoryScreen):
    """Answers the questions that a terminal is asked, such as for the place of the cursor."""

    answer = None

    def write_process_input(self, data):
        self.answer(data)


class Terminal:
    def __init__(self, command, arguments, environment, folder):
        self.screen = AnsweringScreen(COLUMNS, ROWS, history=5000, ratio=0.001)
        self.stream = pyte.ByteStream(self.screen)
        self.process = pexpect.spawn(
            command, arguments, env=environment, cwd=str(folder), dimensions=(ROWS, COLUMNS), timeout=PATIENCE_S
        )
        self.screen.answer = self.process.send
        self.raw = b""

    def read(self, wait_s=0.05):
        try:
            shown = self.process.read_nonblocking(65536, wait_s)
        except pexpect.TIMEOUT:
            return
        except pexpect.EOF:
            raise AssertionError(f"the command ended; it showed:\n{self.text()}") from None
        self.raw += shown
        self.stream.feed(shown)

    def lines(self):
        """Every line that was shown, those that have left the screen too."""
        left = ["".join(line[column].data for column in range(COLUMNS)) for line in self.screen.history.top]
        return [line.rstrip() for line in left + list(self.screen.display)]

    def text(self):
        return "\n".join(self.lines()).rstrip()

    def wait_until(self, is_true, what):
        end = time.monotonic() + PATIENCE_S
        while not is_true():
            assert time.monotonic() < end, f"never {what}; the screen:\n{self.text()}"
            self.read()

    def wait_for(self, words):
        self.wait_until(lambda: words in self.text(), f"`{words}`")

    def wait_for_prompt(self):
        """Until the line of the cursor is an empty prompt."""
        self.wait_until(lambda: self.lines_of_screen()[self.screen.cursor.y].endswith(">"), "an empty prompt")

    def lines_of_screen(self):
        return [line.rstrip() for line in self.screen.display]

    def type(self, text):
        self.process.send(text)

    def enter(self, text):
        self.type(text + ENTER)

    def end(self):
        """How the command ends once its input does."""
        self.process.expect(pexpect.EOF)
        self.process.close()
        return self.process.exitstatus

    def kill(self):
        """Waits as long as the machine takes to end the command, if it has not ended."""
        if self.process.isalive():
            self.process.kill(signal.SIGKILL)
            self.process.wait()
        self.process.close()


def environment(home, **variables):
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("FIRN_", "SNOWFLAKE_", "XDG_")) and name not in ("PAGER", "LESS", "NO_COLOR", "EDITOR", "VISUAL")
    }
    return kept | {"HOME": str(home), "TERM": "xterm-256color", "LANG": "C.UTF-8"} | variables
