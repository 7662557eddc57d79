#!/usr/bin/env python3
"""Runs a command that draws on its terminal as a job of a shell: in the background, in the foreground, and suspended.

    background-job.py COMMAND...

It prints a line for each thing that the job does; an event that does not happen within 20 seconds ends it.
"""
import fcntl
import os
import select
import signal
import sys
import termios

SCREEN = b'\x1b[?1049h'


class Job:
    """A command in a process group of its own, in the background of the terminal."""

    def __init__(self, words):
        self.process, self.output = os.fork(), b''
        if self.process == 0:
            os.setpgid(0, 0)
            signal.signal(signal.SIGTTOU, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            for number in range(3):
                os.dup2(terminal, number)
            os.execv(words[0], words)
        try:
            os.setpgid(self.process, self.process)
        except PermissionError:
            pass                        # It has done so itself, and runs its program.

    def read(self):
        """Reads the terminal's output so far."""
        while select.select([screen], [], [], 0)[0]:
            self.output += os.read(screen, 65536)
        return self.output

    def waits(self):
        """The next change of the job's state."""
        signal.alarm(20)
        state = os.waitpid(self.process, os.WUNTRACED)[1]
        signal.alarm(0)
        if os.WIFSTOPPED(state):
            return 'stopped by ' + signal.Signals(os.WSTOPSIG(state)).name
        return f'ended with {os.waitstatus_to_exitcode(state)}'

    def draws(self):
        """Waits until the job has switched to the alternate screen once more."""
        count = self.output.count(SCREEN)
        while self.output.count(SCREEN) == count:
            if not select.select([screen], [], [], 20)[0]:
                sys.exit(f'nothing is drawn: {self.output}')
            self.output += os.read(screen, 65536)

    def resumes(self, foreground):
        os.tcsetpgrp(terminal, self.process if foreground else os.getpgrp())
        os.killpg(self.process, signal.SIGCONT)


def modes():
    flags = termios.tcgetattr(terminal)[3]
    return 'lines' if flags & termios.ICANON and flags & termios.ECHO else 'keys'


def run(words):
    job = Job(words)
    print('background:', job.waits(), SCREEN in job.read(), modes())
    job.resumes(foreground=False)
    print('bg:', job.waits(), SCREEN in job.read())
    job.resumes(foreground=True)
    job.draws()
    print('fg:', modes())
    os.write(screen, b'\x1a')
    print('Ctrl-Z:', job.waits(), modes())
    count = job.read().count(SCREEN)
    job.resumes(foreground=False)
    print('bg:', job.waits(), job.read().count(SCREEN) - count)
    job.resumes(foreground=True)
    job.draws()
    os.write(screen, b'q')
    print('q:', job.waits(), modes())
    os.tcsetpgrp(terminal, os.getpgrp())
    job = Job(words)
    print('background:', job.waits())
    os.kill(job.process, signal.SIGTERM)
    job.resumes(foreground=False)
    print('SIGTERM:', job.waits(), modes())


screen, terminal = os.openpty()
shell = os.fork()
if shell == 0:
    os.setsid()
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    run(sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(shell, 0)[1]))
