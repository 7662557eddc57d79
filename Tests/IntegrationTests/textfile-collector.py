#!/usr/bin/env python3
"""A real node_exporter with an agent's file of metrics, and then with all that this agent shows in a scrape.

It fails unless node_exporter's page has every sample of the file, and nothing else of its families, without an error.
The file may be of a time before the first checks, so the agent's page, without the families that are never in a file,
is read as a file too.

    textfile-collector.py FILE AGENT DIRECTORY SECONDS
"""
import os
import re
import subprocess
import sys
import time
import urllib.request

FILE, AGENT, DIRECTORY, SECONDS = sys.argv[1], sys.argv[2], sys.argv[3], float(sys.argv[4])
ADDRESS = '127.0.0.1:9100'
SAMPLE = re.compile(r'([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$')
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
NEVER = ('process_', '# HELP process_', '# TYPE process_')


def fetch(address):
    with urllib.request.urlopen(f'http://{address}/metrics', timeout=10) as answer:
        return answer.read().decode()


def content(path):
    with open(path) as file:
        return file.read()


def label(name, value):
    """A label as it is compared: the bound of a bucket is a number, which node_exporter writes in its own way."""
    return name, float(value) if name == 'le' else value


def parse(text):
    """The types by family, and the values by name and labels; a label without a value is as good as none."""
    types, samples = {}, {}
    for line in text.splitlines():
        if line.startswith('# TYPE '):
            _, _, name, kind = line.split()
            types[name] = kind
        elif line and not line.startswith('#'):
            name, labels, value = SAMPLE.match(line).groups()
            key = name, tuple(sorted(label(*pair) for pair in LABEL.findall(labels or '') if pair[1]))
            if key in samples:
                sys.exit(f'twice: {line}')
            samples[key] = float(value)
    return types, samples


def differences(file, page):
    """Where node_exporter's page is not what the file says."""
    (types, samples), (page_types, page_samples) = parse(file), parse(page)
    if page_samples.get(('node_textfile_scrape_error', ())) != 0:
        yield 'node_exporter could not read the file'
    yield from (f'{name} is a {page_types.get(name)}, not a {kind}'
                for name, kind in types.items() if page_types.get(name) != kind)
    yield from (f'{key} is {page_samples.get(key)}, not {value}'
                for key, value in samples.items() if page_samples.get(key) != value)
    parts = {name + suffix for name in types for suffix in ('', '_bucket', '_sum', '_count')}
    yield from (f'{key} is not in the file' for key in page_samples if key[0] in parts and key not in samples)


def collect(path):
    """The differences once node_exporter has read the directory of a file."""
    with open(f'{DIRECTORY}/node-exporter.log', 'w') as log:
        server = subprocess.Popen(
            ['prometheus-node-exporter', f'--collector.textfile.directory={os.path.dirname(path)}',
             f'--web.listen-address={ADDRESS}'], stdout=log, stderr=log)
    try:
        while server.poll() is None and time.monotonic() < end:
            try:
                before, page, after = content(path), fetch(ADDRESS), content(path)
            except OSError:
                time.sleep(0.05)
                continue
            # Else it was replaced meanwhile.
            if before == after:
                types, samples = parse(before)
                print(f'{path}: {len(types)} families, {len(samples)} samples')
                return list(differences(before, page))
        sys.exit(content(f'{DIRECTORY}/node-exporter.log'))
    finally:
        server.terminate()
        server.wait()


end = time.monotonic() + SECONDS
os.makedirs(f'{DIRECTORY}/page')
with open(f'{DIRECTORY}/page/agent.prom', 'w') as page:
    page.writelines(line for line in fetch(AGENT).splitlines(True) if not line.startswith(NEVER))
flaws = [f'{path}: {flaw}' for path in (FILE, page.name) for flaw in collect(path)]
if flaws:
    sys.exit('\n'.join(flaws[:20]))
