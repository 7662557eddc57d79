"""What a reader of the page sees while things happen to the machine."""

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import history
from .browser import Browser
from .lab import ADDRESS, Lab

# Higher than screens are: a picture has most of the page.
SCREENS, SCHEMES = ((320, 2600), (768, 2000), (1440, 1500)), ("light", "dark")
MOST_ENTRIES, MOST_ELEMENTS = 200, 6000
# In milliseconds. A stall is felt from 200 on; a machine that tests other things meanwhile is slower.
LONGEST_STALL = 400
# The elements at which the keyboard stops.
STOPS = "a, summary, select"


class Finding(Exception):
    pass


def expect(condition: object, message: str) -> None:
    if not condition:
        raise Finding(message)


def misplaced(walk: list[dict[str, Any]]) -> str | None:
    """The first stop out of the order of the document and of reading, line by line from the left; None without one."""
    for former, stop in zip(walk, walk[1:]):
        is_below = stop["top"] >= former["bottom"]
        is_beside = stop["bottom"] > former["top"] and stop["left"] >= former["right"]
        if stop["index"] <= former["index"] or not (is_below or is_beside):
            return f"{stop} comes after {former}"
    return None


class Scenarios:
    """Run in the order of `ALL`: each begins with a page that is open, and a network that is as it was."""

    def __init__(self, lab: Lab, browser: Browser, pictures: Path) -> None:
        self.lab, self.browser, self.pictures = lab, browser, pictures

    def text(self, element: str = "main") -> str:
        return self.browser.evaluate(f"document.querySelector('{element}')?.innerText ?? ''")

    def settle(self) -> None:
        """Opens the page, and waits until it follows."""
        self.browser.open(ADDRESS)
        self.browser.evaluate(self.browser.until("document.getElementById('live').textContent.includes('live')"))

    def shown(self, words: str, act: Callable[[], None], patience: float = 10) -> float:
        """How many seconds after an act the page shows words."""
        number = self.browser.begin(self.browser.until(f"document.getElementById('state').innerText.includes({json.dumps(words)})"))
        start = time.monotonic()
        act()
        self.browser.result(number, patience)
        return time.monotonic() - start

    def update(self, condition: str) -> None:
        """Lets the page fetch the state until a condition holds: without an event the agent repeats an answer for a moment."""
        self.browser.evaluate(f"""(async () => {{
            const asking = setInterval(soon, 100)
            await {self.browser.until(condition)}
            clearInterval(asking) }})()""")

    def restore(self) -> None:
        """Makes the network what it was, after a scenario that failed."""
        self.lab.plug("wlan0", True)
        for server in self.lab.servers.values():
            server.be("open")
        self.browser.emulate()
        self.browser.resize(1440)

    def watch_stalls(self) -> None:
        # With those that the browser has not delivered yet.
        self.browser.evaluate("takeStalls().length = 0, stalls.watched = true")

    def longest_stall(self) -> float:
        """The longest stall since `watch_stalls`, in milliseconds; more than `LONGEST_STALL` is a finding, and so is a browser that
        would not have reported it."""
        longest = max(self.browser.evaluate("takeStalls()"), default=0)
        expect(self.browser.evaluate("stalls.watched === true"), "the page was loaded anew, and its stalls are lost")
        expect(longest < LONGEST_STALL, f"the browser was busy for {longest:.0f} ms at once")
        reported = self.browser.evaluate(f"""new Promise(resolve => {{
            let longest = 0
            // The page may have been busy before, for less.
            whenStalled = stall => {{ longest = Math.max(longest, stall); if (longest >= {LONGEST_STALL}) resolve(longest) }}
            setTimeout(() => resolve(longest), 4000)
            setTimeout(() => {{ const end = performance.now() + {LONGEST_STALL}; while (performance.now() < end); }}) }})""", 10)
        expect(reported >= LONGEST_STALL, f"a stall of {LONGEST_STALL} ms was reported as {reported:.0f} ms")
        return longest

    def walk(self) -> list[dict[str, Any]]:
        """The elements that the Tab key reaches, one after the other, until it leaves the page."""
        stops: list[dict[str, Any]] = []
        while len(stops) < 80:
            self.browser.press("Tab", 9)
            stop = self.browser.evaluate(f"""(() => {{ const one = document.activeElement
                return one === document.body ? null : {{
                    kind: one.localName, name: one.className || one.name || one.innerText.slice(0, 40),
                    outline: getComputedStyle(one).outlineStyle,
                    index: [...document.querySelectorAll('{STOPS}')].indexOf(one) }} }})()""")
            if stop is None:
                break
            stops.append(stop)
        # All places at once, as an update of the page may move what is below it.
        boxes = self.browser.evaluate(f"[...document.querySelectorAll('{STOPS}')].map(one => one.getBoundingClientRect().toJSON())")
        return [stop | {side: round(boxes[stop["index"]][side]) for side in ("left", "right", "top", "bottom")} for stop in stops]

    # The scenarios

    def history_is_shown(self) -> str:
        """90 days of the default path and of each uplink, 24 hours of each probe, and the changes"""
        self.settle()
        bars = self.browser.evaluate("[...document.querySelectorAll('svg.bars')].map(one => one.children.length)")
        expect(bars.count(90) == len(bars) >= 3, f"bars: {bars}")
        none = self.browser.evaluate("document.querySelectorAll('#default-path .bars .none').length")
        expect(3 <= none <= 7, f"{none} days without data, and the journal begins 84 days ago")
        less = self.browser.evaluate("document.querySelectorAll('#default-path .bars .less').length")
        expect(less >= 4, f"{less} days with outages")
        bands = self.browser.evaluate("[...document.querySelectorAll('svg.band')].map(one => one.querySelectorAll('.range').length)")
        expect(bands and min(bands) >= 20, f"bands: {bands}")
        expect(self.browser.evaluate("document.querySelectorAll('#timeline li').length") > 20, "no changes of the past")
        return f"{len(bars)} calendars, {len(bands)} bands"

    def without_script(self) -> str:
        """The page is whole without its script"""
        self.browser.call("Emulation.setScriptExecutionDisabled", value=True)
        try:
            self.browser.open(ADDRESS)
            root = self.browser.call("DOM.getDocument", depth=0)["root"]["nodeId"]
            html = self.browser.call("DOM.getOuterHTML", nodeId=root)["outerHTML"]
        finally:
            self.browser.call("Emulation.setScriptExecutionDisabled", value=False)
        for words in ("<h1", "as of ", "svg class=\"bars\"", "svg class=\"band\"", "id=\"timeline\"", "hidden=\"\""):
            expect(words in html, f"{words} is missing without a script")
        return f"{len(html) // 1024} KB"

    def cable(self) -> str:
        """A pulled cable is on the page in less than a second, and so is the way back"""
        self.settle()
        pulled = self.shown("wwan0", lambda: self.lab.plug("wlan0", False))
        expect(pulled < 1, f"the page showed it after {pulled:.2f} s")
        settled = self.shown("over wwan wwan0", lambda: None)
        back = self.shown("over wifi wlan0", lambda: self.lab.plug("wlan0", True))
        expect(back < 1.5, f"the way back was shown after {back:.2f} s")
        return f"shown after {pulled * 1000:.0f} ms, settled {settled:.2f} s later, back after {back * 1000:.0f} ms"

    def probe(self) -> str:
        """A probe that fails, with its code, its detail and what to do"""
        self.settle()
        after = self.shown("http_status", lambda: self.lab.servers["api"].be("sabotage"))
        row = self.text("#probe-api\\\\ IPv4")
        expect("down" in row and "http_status" in row and "500" in row, f"the row of the probe: {row}")
        expect("PARTIAL" in self.text("#answer"), "the answer")
        expect("the server" in self.text("#state .do"), f"what to do: {self.text('#state .do')}")
        announced = self.text("#news")
        expect("PARTIAL" in announced, f"a screen reader was told: {announced}")
        self.shown("FULL", lambda: self.lab.servers["api"].be("open"))
        return f"shown after {after:.2f} s"

    def portal(self) -> str:
        """A captive portal, with the link to log in"""
        self.settle()
        login = "http://login.example.org/start?to=%22%3E%3Cscript%3Ealert(1)%3C/script%3E"

        def capture() -> None:
            for server in self.lab.servers.values():
                server.be(f"portal {login}")
        after = self.shown("PORTAL", capture)
        links = self.browser.evaluate("[...document.querySelectorAll('#state a')].map(one => one.href + ' ' + one.rel)")
        expect(links and links[0].startswith("http://login.example.org/start") and "noreferrer" in links[0], f"links: {links}")
        expect(self.browser.evaluate("document.scripts.length") == 1, "a script of the portal's")

        def release() -> None:
            for server in self.lab.servers.values():
                server.be("open")
        self.shown("FULL", release)
        return f"shown after {after:.2f} s"

    def resume(self) -> str:
        """Resumes after the agent was killed; 10,000 events come together, none is lost, and nothing stalls"""
        # From here on no former page follows, and the browser may have an event of the next one before that says so.
        self.browser.open("about:blank")
        seen = len(self.browser.events)
        self.settle()
        last = int(self.browser.evaluate("document.getElementById('live').textContent.split('#').pop()"))
        number = self.browser.begin(self.browser.until("document.getElementById('live').className === 'lost'"))
        self.lab.kill()
        self.browser.result(number)
        expect("no answer from the agent since" in self.text("#live"), f"it says: {self.text('#live')}")
        # What the agent published before it was killed may be newer than what the page says.
        newest = max(int(path.name[7:27]) for path in (self.lab.directory / "journal").glob("events-*.jsonl"))
        lines = (self.lab.directory / "journal" / f"events-{newest:020}.jsonl").read_bytes().splitlines()
        end = json.loads(lines[-1])["seq"]
        end = history.append(self.lab.directory / "journal", end + 1, 10_000)
        self.watch_stalls()
        self.lab.start()
        self.browser.evaluate(self.browser.until(
            f"Number(document.getElementById('live').textContent.split('#').pop()) > {end}"), patience=20)

        def received() -> list[int]:
            # A snapshot has the position of the newest event, and no number of its own.
            messages = [json.loads(event["params"]["data"]) for event in self.browser.events[seen:]
                        if event["method"] == "Network.eventSourceMessageReceived"]
            numbers = [message["seq"] for message in messages if "seq" in message]
            return [number for number in numbers if number > last]

        # The page has the newest number from the agent's state, before the events have all come.
        limit = time.monotonic() + 20
        while max(received(), default=0) <= end and time.monotonic() < limit:
            self.browser.evaluate("new Promise(done => setTimeout(done, 50))")
        numbers = received()
        expect(numbers == list(range(last + 1, last + 1 + len(numbers))),
               f"lost or repeated behind #{last}: {len(numbers)} events, {numbers[:3]} to {numbers[-3:]}")
        expect(len(numbers) > 10_000, f"only {len(numbers)} events")
        self.shown("FULL", lambda: None)
        self.browser.evaluate(self.browser.until("document.querySelectorAll('#timeline li').length > 100"))
        stall = self.longest_stall()
        entries, elements = self.browser.evaluate(
            "[document.querySelectorAll('#timeline li').length, document.getElementsByTagName('*').length]")
        expect(entries <= MOST_ENTRIES and elements < MOST_ELEMENTS, f"{entries} changes, {elements} elements")
        return f"{len(numbers)} events, longest stall {stall:.0f} ms, {entries} changes, {elements} elements"

    def lag(self) -> str:
        """A reader that was too slow is told so, and takes the state anew"""
        self.settle()
        # The attribute goes with the next reload, as it is not the agent's.
        self.browser.evaluate("document.querySelector('main').dataset.old = 'true'")
        marked = self.browser.begin(self.browser.until("document.querySelector('main').dataset.old !== 'true'"))
        start = time.monotonic()
        self.browser.evaluate("stream.dispatchEvent(new MessageEvent('lagged', {data: '{}'})) && null")
        self.browser.result(marked, 5)
        return f"taken anew after {(time.monotonic() - start) * 1000:.0f} ms"

    def storm(self) -> str:
        """10,000 changes of a route while the page is open: it stays quick, and ends with the present state"""
        self.settle()
        self.watch_stalls()
        before = self.lab.status()["last_seq"]
        lines = "".join(f"route replace default via 192.0.2.{1 + 2 * (number % 2)} dev wlan0 metric 600\n" for number in range(10_001))
        with subprocess.Popen(["ip", "-batch", "-"], stdin=subprocess.PIPE, text=True) as batch:
            batch.communicate(lines, timeout=20)
        self.shown("FULL", lambda: None)
        reply = self.browser.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(() => done('quick'))))", 2)
        expect(reply == "quick", "the page does not answer")
        self.lab.wait("the route", lambda status: status["state"]["path"].get("gateway") == "192.0.2.1" and "pending" not in status)
        stall = self.longest_stall()
        return f"{self.lab.status()['last_seq'] - before} events, longest stall {stall:.0f} ms"

    def filter(self) -> str:
        """The changes are filtered by type, uplink and probe, and the choice outlives updates of the options and a reload"""
        self.settle()
        choose = """((name, value) => { const field = document.getElementById('filter').elements[name]
            field.value = value; field.dispatchEvent(new Event('change', {bubbles: true}))
            return [...document.querySelectorAll('#timeline li')].filter(one => !one.hidden).map(one => one.innerText) })"""
        everything = self.browser.evaluate(f"{choose}('kind', 'all').length")
        settled = self.browser.evaluate(f"{choose}('kind', '').length")
        expect(0 < settled < everything, f"{settled} of {everything} are settled")
        probes = self.browser.evaluate(f"{choose}('kind', 'probe')")
        expect(probes and all("probe" in one for one in probes), f"{probes[:3]}")
        self.browser.evaluate(f"{choose}('kind', '')")
        modem = self.browser.evaluate(f"{choose}('uplink', 'wwan0')")
        expect(modem and all("wwan0" in one for one in modem), f"{modem[:3]}")
        count, visible = self.browser.evaluate("""[document.querySelector('#filter output').value,
            [...document.querySelectorAll('#timeline li')].filter(one => !one.hidden).length]""")
        expect(count.startswith(f"{visible} of "), f"{visible} are shown, and it says {count}")
        chosen = "[document.getElementById('filter').elements.uplink.value, location.hash]"
        options = "[...document.getElementById('filter').elements.uplink.options].map(one => one.value)"
        # Its option comes before the chosen one.
        self.lab.extend("eth1")
        try:
            self.lab.wait("eth1", lambda status: any(one["name"] == "eth1" for one in status["interfaces"]))
            self.update(f"{options}.includes('eth1')")
            kept = self.browser.evaluate(chosen)
            expect(kept == ["wwan0", "#uplink=wwan0"], f"an update made another choice: {kept}")
            shown = self.browser.evaluate("[...document.querySelectorAll('#timeline li')].filter(one => !one.hidden).map(one => one.innerText)")
            expect(shown and all("wwan0" in one for one in shown), f"after an update: {shown[:3]}")
            self.browser.call("Page.reload")
            self.browser.wait(lambda event: event["method"] == "Page.loadEventFired")
            kept = self.browser.evaluate(chosen)
            expect(kept == ["wwan0", "#uplink=wwan0"], f"the choice is lost: {kept}")
            self.browser.evaluate(f"{choose}('uplink', 'eth1')")
        finally:
            self.lab.reduce("eth1")
        self.lab.wait("eth1 to go", lambda status: all(one["name"] != "eth1" for one in status["interfaces"]))
        self.update(f"!{options}.includes('eth1')")
        left = self.browser.evaluate(chosen)
        expect(left == ["", ""], f"an uplink that has gone was chosen, and now it is {left}")
        return f"{settled} settled of {everything}, {len(probes)} of probes, {len(modem)} over wwan0"

    def keyboard(self) -> str:
        """Everything can be reached and used by keyboard, in the order of the page, with a focus to be seen"""
        self.settle()
        stops = 0
        for width, height in SCREENS:
            self.browser.resize(width, height)
            walk = self.walk()
            stops = len(walk)
            wanted = self.browser.evaluate(f"document.querySelectorAll('{STOPS}').length")
            expect(stops == wanted, f"{stops} of {wanted} can be reached: {walk}")
            expect(walk[0]["name"] == "skip", f"the first is {walk[0]}")
            expect(all(stop["outline"] != "none" for stop in walk), f"a focus cannot be seen: {walk}")
            expect(sum(stop["kind"] == "select" for stop in walk) == 3, f"{walk}")
            expect(not (fault := misplaced(walk)), f"at {width} px, {fault}")
        # The same page in a wrong order, to see that it would be found: the last link first, and the filters from right to left.
        for wrong, undo in (("[...document.links].at(-1).tabIndex = 1", "[...document.links].at(-1).removeAttribute('tabindex')"),
                            ("document.getElementById('filter').style.direction = 'rtl'",
                             "document.getElementById('filter').removeAttribute('style')")):
            for _ in range(3):                  # An update of the page undoes it, and may come in between.
                self.browser.evaluate(wrong)
                walk = self.walk()
                self.browser.evaluate(undo)
                expect(len(walk) >= stops, f"after '{wrong}', {len(walk)} of {stops} can be reached: {walk}")
                if misplaced(walk):
                    break
            expect(misplaced(walk), f"the wrong order of '{wrong}' is not found: {walk}")
        expect(not (fault := misplaced(self.walk())), f"after the wrong orders, {fault}")
        self.browser.evaluate("document.querySelector('summary').focus()")
        self.browser.press("Enter", 13, "\r")
        expect(self.browser.evaluate("document.querySelector('details').open"), "details do not open by keyboard")
        self.browser.evaluate("document.querySelector('select').focus()")
        self.browser.press("e", 69, "e")
        expect(self.browser.evaluate("document.querySelector('select').value") == "all", "the filter cannot be set by keyboard")
        # An update keeps the focus, the details and the filter.
        self.shown("wwan0", lambda: self.lab.plug("wlan0", False))
        kept = self.browser.evaluate("[document.activeElement.localName, document.querySelector('details').open, document.activeElement.value]")
        expect(kept == ["select", True, "all"], f"an update changed the reader's place: {kept}")
        self.shown("over wifi wlan0", lambda: self.lab.plug("wlan0", True))
        self.browser.evaluate("history.replaceState(null, '', '/')")
        return f"{stops} stops in order, on {len(SCREENS)} screens"

    def reader(self) -> str:
        """A screen reader finds headings, tables also on a small screen, and a name for every image and field"""
        self.settle()
        self.browser.resize(320)
        nodes = self.browser.call("Accessibility.getFullAXTree")["nodes"]
        found: dict[str, list[str]] = {}
        for node in nodes:
            if not node.get("ignored"):
                role = node.get("role", {}).get("value", "")
                found.setdefault(role, []).append(node.get("name", {}).get("value", ""))
        for role in ("image", "combobox", "region", "link", "search"):
            expect(found.get(role) and all(found[role]), f"{role}: {found.get(role)}")
        for role, least in (("heading", 7), ("table", 1), ("rowheader", 3), ("columnheader", 7), ("cell", 18), ("status", 1),
                            ("main", 1)):
            expect(len(found.get(role, [])) >= least, f"{len(found.get(role, []))} of role {role}: {sorted(found)}")
        self.browser.resize(1440)
        return ", ".join(f"{len(found.get(role, []))} {role}" for role in ("heading", "image", "cell", "combobox"))

    def looks(self) -> str:
        """Pictures at 320, 768 and 1440 px, light and dark, and on paper; nothing is wider than the screen"""
        self.lab.servers["api"].be("sabotage")
        self.settle()
        self.shown("http_status", lambda: None)
        for width, height in SCREENS:
            self.browser.resize(width, height)
            for scheme in SCHEMES:
                self.browser.emulate(scheme)
                self.browser.picture(self.pictures / f"{width}-{scheme}.png", whole=False)
            inside = self.browser.evaluate("document.documentElement.scrollWidth")
            expect(inside <= width, f"the page is {inside} px wide on a screen of {width}")
        self.browser.resize(2560, 1440)
        self.browser.picture(self.pictures / "wall.png", whole=False)
        self.browser.resize(1440, 1500)
        self.browser.emulate(forced_colors="active")
        self.browser.picture(self.pictures / "forced-colours.png", whole=False)
        self.browser.emulate(media="print")
        self.browser.resize(794, 1123)
        self.browser.picture(self.pictures / "print.png", whole=False)
        self.browser.emulate()
        self.browser.resize(1440)
        self.lab.servers["api"].be("open")
        return f"in {self.pictures}"

    def policy(self) -> str:
        """The policy refuses what is not the page's own, and never had to; the browser has no error to report"""
        self.settle()
        expect(self.browser.evaluate("refused") == [], f"{self.browser.evaluate('refused')}")
        complaints = self.browser.complaints()
        expect(not complaints, f"{complaints[:5]}")
        self.browser.evaluate("""new Promise(done => { document.addEventListener('securitypolicyviolation', done, {once: true})
            const foreign = document.createElement('script'); foreign.textContent = 'window.broken = true'
            document.body.append(foreign) }).then(() => true)""")
        expect(self.browser.evaluate("window.broken") is None, "a foreign script was run")
        return "0 violations"


ALL = ("history_is_shown", "without_script", "cable", "probe", "portal", "filter", "keyboard", "reader", "looks", "lag",
       "storm", "resume", "policy")
