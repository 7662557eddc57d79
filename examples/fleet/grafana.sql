-- Queries for Grafana's PostgreSQL data source. Each begins with its title; $__timeFrom(), $__timeTo() and $__timeFilter() are Grafana's.

-- Devices by state (pie chart)
SELECT connectivity, count(*) AS devices
FROM reachagent.state
GROUP BY connectivity
ORDER BY devices DESC;

-- Devices in trouble (table)
SELECT device, connectivity, via, interface, reason, since
FROM reachagent.state
WHERE connectivity IS DISTINCT FROM 'full'
ORDER BY since DESC;

-- States of each device (state timeline)
SELECT greatest(since, $__timeFrom()) AS time, device AS metric, connectivity AS value
FROM reachagent.path
WHERE since < $__timeTo() AND coalesce(until, $__timeTo()) > $__timeFrom()
ORDER BY 1;

-- Outages (table)
SELECT device, since, coalesce(until, $__timeTo()) - since AS duration, connectivity, cause
FROM reachagent.path
WHERE connectivity IN ('none', 'local', 'portal') AND since < $__timeTo() AND coalesce(until, $__timeTo()) > $__timeFrom()
ORDER BY since DESC
LIMIT 1000;

-- Availability of each device in the time of the dashboard (table): empty for one without a probe, as in `reachagent fleet report`
SELECT device,
    CASE WHEN count(*) FILTER (WHERE connectivity IN ('full', 'partial', 'portal', 'local')) > 0
        OR count(*) FILTER (WHERE connectivity = 'unknown' AND via <> 'unknown') = 0
        THEN trunc(100 * coalesce(sum(seconds) FILTER (WHERE connectivity IN ('full', 'partial')), 0)
            / sum(seconds) FILTER (WHERE connectivity IN ('full', 'partial', 'portal', 'local', 'none')), 3) END AS percent
FROM (
    SELECT device, connectivity, via,
        extract(epoch FROM least(known_until, $__timeTo()) - greatest(since, $__timeFrom())) AS seconds
    FROM reachagent.path
    WHERE since < $__timeTo() AND known_until > $__timeFrom()
) AS span
WHERE seconds > 0
GROUP BY device
ORDER BY percent NULLS FIRST;

-- Silent devices (table)
SELECT device, max(stored) AS last_seen
FROM reachagent.event
GROUP BY device
HAVING max(stored) + interval '2 hours' < $__timeTo()
ORDER BY last_seen;

-- Events in an hour (time series)
SELECT date_trunc('hour', time) AS time, type AS metric, count(*) AS value
FROM reachagent.event
WHERE $__timeFilter(time)
GROUP BY 1, 2
ORDER BY 1;

-- Missing numbers (table)
SELECT device, stream, first_seq, last_seq, count FROM reachagent.gap ORDER BY count DESC LIMIT 100;
