#!/usr/bin/env python3
"""A real Prometheus with the example's configuration, and every query of the example's dashboard.

It fails unless the agent is up, each rule is loaded and evaluates, and each query of the dashboard answers with data. The
agent has neither transfers nor sinks: queries about these must be valid.

    prometheus-queries.py EXAMPLES DIRECTORY SECONDS
"""
import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

EXAMPLES, DIRECTORY, SECONDS = sys.argv[1], sys.argv[2], float(sys.argv[3])
ADDRESS = '127.0.0.1:9090'
WITHOUT_DATA = ('reachagent_transfer_', 'reachagent_sink_')
VARIABLES = {'$instance': '.*', '$probe': '.*', '$__rate_interval': '30s'}


def ask(path, **parameters):
    query = urllib.parse.urlencode(parameters)
    with urllib.request.urlopen(f'http://{ADDRESS}/api/v1/{path}?{query}', timeout=10) as answer:
        return json.load(answer)['data']


def expressions():
    with open(f'{EXAMPLES}/dashboard.json') as file:
        dashboard = json.load(file)
    for panel in dashboard['panels']:
        for target in panel.get('targets', []):
            expression = target['expr']
            for name, value in VARIABLES.items():
                expression = expression.replace(name, value)
            yield panel['title'], expression


def unanswered(queries):
    """The queries without data, each with the reason."""
    for title, expression in queries:
        try:
            answer = ask('query', query=expression)
            if not answer['result'] and not any(name in expression for name in WITHOUT_DATA):
                yield title, expression
        except urllib.error.HTTPError as error:
            sys.exit(f'{title}: {expression}: {error.read().decode()}')


def retry(name, attempt):
    """Calls a function until it returns something that is not empty."""
    while True:
        try:
            result = attempt()
        except OSError:
            result = None
        if result:
            return result
        if time.monotonic() > end:
            sys.exit(f'{name}: not in time')
        time.sleep(0.2)


def configure():
    os.makedirs(f'{DIRECTORY}/data', exist_ok=True)
    with open(f'{EXAMPLES}/prometheus.yml') as file:
        text = file.read().replace('alerts.yml', f'{EXAMPLES}/alerts.yml')
    with open(f'{DIRECTORY}/prometheus.yml', 'w') as file:
        file.write('global: { scrape_interval: 1s, evaluation_interval: 1s }\n' + text)


end = time.monotonic() + SECONDS
configure()
queries = list(expressions())
with open(f'{DIRECTORY}/log', 'w') as log:
    server = subprocess.Popen(
        ['prometheus', f'--config.file={DIRECTORY}/prometheus.yml', f'--storage.tsdb.path={DIRECTORY}/data',
         f'--web.listen-address={ADDRESS}'], stdout=log, stderr=log)
try:
    retry('up', lambda: [x for x in ask('query', query='up{job="reachagent"} == 1')['result']])
    missing = list(unanswered(queries))
    while missing and time.monotonic() < end:
        time.sleep(0.3)
        missing = list(unanswered(missing))
    if missing:
        sys.exit('no data: ' + '; '.join(f'{title}: {query}' for title, query in missing))
    rules = [rule for group in ask('rules')['groups'] for rule in group['rules']]
    retry('rules', lambda: all(r['health'] == 'ok' for g in ask('rules')['groups'] for r in g['rules']))
    print(f'{len(queries)} queries, {len(rules)} rules')
finally:
    server.terminate()
    server.wait()
