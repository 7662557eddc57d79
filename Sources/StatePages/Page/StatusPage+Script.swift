extension StatusPage {
    /// The script of the page.
    ///
    /// After an event the script fetches the document again and updates the differences in place, which preserves the
    /// focus, the open details and the filter. Events in quick succession cause one reload, reloads never overlap, and
    /// the pause between two reloads grows with their duration, so that a burst of events leaves the browser idle most
    /// of the time.
    static let script = """
        'use strict'
        const find = id => document.getElementById(id)
        const main = document.querySelector('main'), live = find('live'), filter = () => find('filter')
        // By the clock and in the time zone of the agent, as all other times of the page.
        const time = () => new Date(Date.now() + skew).toISOString().slice(11, 19)
        let stream, timer = 0, busy = false, again = false, cost = 0, loaded = 0, ahead = 0, skew = 0
        let lost = '', seen = ''

        const say = text => { find('news').textContent = text }
        // The state of the connection is a word, not only a colour.
        const connected = () => {
          if (lost) say('connected to the agent again')
          lost = ''
          live.className = ''
          live.textContent = '● live, event #' + main.dataset.sequence
        }
        const disconnected = () => {
          if (!lost) say('no answer from the agent')
          lost ||= time()
          live.className = 'lost'
          live.textContent = '✕ no answer from the agent since ' + lost + ': this is how it was'
        }

        // Gives an element the attributes and the children of another; elements with an id are moved.
        const merge = (old, fresh) => {
          for (const {name} of [...old.attributes])
            if (!fresh.hasAttribute(name) && name !== 'open' && name !== 'hidden') old.removeAttribute(name)
          for (const {name, value} of fresh.attributes)
            if (name !== 'hidden' && old.getAttribute(name) !== value) old.setAttribute(name, value)
          const known = new Map()
          for (const child of old.children) if (child.id) known.set(child.id, child)
          const wanted = new Set([...fresh.children].map(child => child.id))
          let next = old.firstChild
          for (const child of [...fresh.childNodes]) {
            while (next?.id && !wanted.has(next.id)) {
              const gone = next
              next = next.nextSibling
              gone.remove()
            }
            let same = child.id ? known.get(child.id) : next
            if (!same || same.nodeName !== child.nodeName || (same.id ?? '') !== (child.id ?? '')) {
              old.insertBefore(child, next)
              continue
            }
            if (same === next) next = next.nextSibling
            else old.insertBefore(same, next)
            if (child.nodeType === Node.TEXT_NODE) {
              if (same.data !== child.data) same.data = child.data
            } else if (!same.isEqualNode(child)) merge(same, child)
          }
          while (next) {
            const gone = next
            next = next.nextSibling
            gone.remove()
          }
        }

        const show = () => {
          const form = filter()
          if (!form) return
          form.hidden = false
          const [kind, uplink, probe] = ['kind', 'uplink', 'probe'].map(name => form.elements[name].value)
          const entries = find('timeline').children
          let count = 0
          for (const entry of entries) {
            const {kind: its, uplink: over = '', probe: of = ''} = entry.dataset
            entry.hidden = (kind === 'all' ? false : kind ? its !== kind : its === 'path')
              || (uplink && !over.split(' ').includes(uplink)) || (probe && of !== probe)
            if (!entry.hidden) count += 1
          }
          form.elements.count.value = count + ' of ' + entries.length
        }

        // The values of the filter, which are also in the address.
        let choices = new URLSearchParams(location.hash.slice(1))
        const remember = () => {
          choices = new URLSearchParams([...new FormData(filter())].filter(([, value]) => value))
          const hash = String(choices)
          history.replaceState(null, '', hash ? '#' + hash : location.pathname)
        }
        // An update gives the options other values, and removes some: a value that is gone becomes that of all.
        const choose = () => {
          let gone = false
          for (const field of filter()?.querySelectorAll('select') ?? []) {
            field.value = choices.get(field.name) ?? ''
            if (field.selectedIndex >= 0) continue
            field.value = ''
            gone = true
          }
          if (gone) remember()
        }

        const grow = () => {
          const now = performance.now() + ahead
          for (const age of document.querySelectorAll('[data-since]')) {
            let rest = Math.max(0, Math.floor((now - age.dataset.since) / 1000)), words = []
            for (const [unit, length] of [['d', 86400], ['h', 3600], ['min', 60], ['s', 1]]) {
              const count = Math.floor(rest / length)
              rest %= length
              if (words.length && !count) break
              if (count) words.push(count + ' ' + unit)
              if (words.length === 2) break
            }
            const text = words.join(' ') || 'less than a second'
            if (age.textContent !== text) age.textContent = text
          }
        }

        // The live region for screen readers: the state and the problem, updated only when they change.
        const announce = () => {
          const text = [find('answer'), find('pending'), find('problem')].map(part => part?.innerText ?? '').join('. ')
          if (seen && text !== seen) say(text)
          seen = text
        }

        const placed = () => {
          loaded = performance.now()
          ahead = Number(main.dataset.now) - loaded
          skew = Number(main.dataset.now) + Number(main.dataset.offset) - Date.now()
          show()
          grow()
          announce()
          // The agent has just started; the rest of the data follows shortly.
          if ('reading' in main.dataset) setTimeout(soon, 500)
        }

        const reload = async () => {
          timer = 0
          busy = true
          again = false
          const start = performance.now()
          try {
            const reply = await fetch('/', {cache: 'no-store', signal: AbortSignal.timeout(10000)})
            if (!reply.ok) throw new Error(reply.statusText)
            const page = new DOMParser().parseFromString(await reply.text(), 'text/html')
            // The agent has a different version than this page.
            const fresh = page.querySelector('main')
            if (fresh.dataset.code !== main.dataset.code) return location.reload()
            const focus = document.activeElement
            merge(main, fresh)
            choose()
            document.title = page.title
            document.querySelector('link[rel=icon]').href = page.querySelector('link[rel=icon]').href
            if (document.activeElement !== focus && focus.isConnected) focus.focus({preventScroll: true})
            placed()
            if (stream.readyState === EventSource.OPEN) connected()
          } catch {
            disconnected()
            again = true
          }
          cost = performance.now() - start
          busy = false
          if (again) soon()
        }
        const soon = () => {
          if (busy) again = true
          else timer ||= setTimeout(reload, lost ? 1000 : Math.min(2000, Math.max(40, 4 * cost)))
        }

        // A browser resumes after the last event that it has seen, unless the response was not a stream.
        const follow = () => {
          stream = new EventSource('/events?since_seq=' + main.dataset.sequence)
          stream.onopen = connected
          stream.onmessage = soon
          stream.addEventListener('lagged', soon)
          stream.onerror = () => {
            disconnected()
            if (stream.readyState === EventSource.CLOSED) setTimeout(follow, 1000)
          }
        }

        choose()
        document.addEventListener('change', event => {
          if (!event.target.form) return
          remember()
          show()
        })
        setInterval(() => {
          if (document.hidden) return
          grow()
          // The data that changes without an event: the figures of the last hour, and the certificates.
          if (performance.now() - loaded > 60000) soon()
        }, 5000)
        document.addEventListener('visibilitychange', soon)
        placed()
        follow()
        """
}
