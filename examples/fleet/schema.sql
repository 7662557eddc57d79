-- The events of all devices, and views of them. To be run any number of times: psql -f schema.sql DATABASE

CREATE SCHEMA IF NOT EXISTS reachagent;
SET search_path TO reachagent;

-- (device, stream, seq) names an event for ever: `stream` is the journal that `seq` counts in, and gets a suffix such as ~1 when a
-- device was restored from a snapshot and counts again from a lower number.
CREATE TABLE IF NOT EXISTS event (
    device  text        NOT NULL,
    stream  text        NOT NULL,
    seq     numeric(20) NOT NULL,
    time    timestamptz NOT NULL,
    stored  timestamptz NOT NULL,
    type    text        NOT NULL,
    subject text        NOT NULL,
    data    jsonb       NOT NULL,
    PRIMARY KEY (device, stream, seq)
);
CREATE INDEX IF NOT EXISTS event_type_time ON event (type, time);
CREATE INDEX IF NOT EXISTS event_device_stored ON event (device, stored);

-- The moment that a device wrote; null for a text that is none, so that no device can make the views fail for all others.
CREATE OR REPLACE FUNCTION moment(written text) RETURNS timestamptz LANGUAGE sql IMMUTABLE STRICT AS $$
    SELECT CASE WHEN written ~ '^[1-9]\d{3}-(0[1-9]|1[0-2])-\d{2}T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?Z$'
        -- Not every month has the day: it is added to the first one.
        THEN overlay(written PLACING '01' FROM 9 FOR 2)::timestamptz + (substr(written, 9, 2)::int - 1) * interval '24 hours' END
$$;

-- The connectivity of a default path.
CREATE OR REPLACE FUNCTION connectivity_of(path jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE path ->> 'via' WHEN 'none' THEN 'none' WHEN 'unknown' THEN 'unknown'
        ELSE coalesce(path ->> 'connectivity', 'unknown') END
$$;

-- The state that an event says: that of a change, or the settled one of an event about missing ones; null for any other event.
CREATE OR REPLACE FUNCTION state_in(type text, data jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN said ->> 'via' IS NOT NULL THEN said END
    FROM (SELECT CASE type WHEN 'reachagent.reachability.changed' THEN data -> 'to'
        WHEN 'reachagent.journal.degraded' THEN data #> '{settled,state}' END AS said) AS event
$$;

-- The newest state of each device's default path; `stopped` when the agent has said so.
CREATE OR REPLACE VIEW state AS
SELECT DISTINCT ON (device)
    device,
    CASE type WHEN 'reachagent.agent.stopping' THEN 'stopped' WHEN 'reachagent.agent.started' THEN 'unknown'
        ELSE connectivity_of(to_state) END AS connectivity,
    to_state ->> 'via'                 AS via,
    to_state #>> '{path,interface}'    AS interface,
    to_state ->> 'connectivity_reason' AS reason,
    coalesce(moment(data ->> 'observed'), time) AS since
FROM (
    SELECT *, state_in(type, data) AS to_state,
        lag(state_in(type, data)) OVER (PARTITION BY device ORDER BY stored, seq) AS state_before
    FROM event
    WHERE type IN ('reachagent.agent.started', 'reachagent.agent.stopping', 'reachagent.reachability.changed',
        'reachagent.journal.degraded')
) AS event
WHERE (type IN ('reachagent.agent.started', 'reachagent.agent.stopping') OR to_state IS NOT NULL)
    -- A settled state that was known already began earlier.
    AND NOT (type = 'reachagent.journal.degraded' AND connectivity_of(to_state) = connectivity_of(state_before)
        AND to_state #>> '{path,interface}' IS NOT DISTINCT FROM state_before #>> '{path,interface}')
ORDER BY device, stored DESC, seq DESC;

-- The states of each device's default path one after the other, as `reachagent fleet report` counts them. While nothing is known,
-- connectivity is `unknown`, via null, and cause the reason: `agent_off`, `agent_crashed` (from the last event before), `suspended`, or
-- `no_data` (a journal or a change is missing). `until` is null for the present state, which is known until `known_until`: the time of
-- the device's last event.
CREATE OR REPLACE VIEW path AS
WITH numbered AS (
    SELECT device, stream, seq, stored, time, type, data, state_in(type, data) AS to_state,
        -- Within a journal seq has the order, even where the server stored events in another one.
        min(stored) OVER (PARTITION BY device, stream) AS began
    FROM event
    WHERE type IN ('reachagent.agent.started', 'reachagent.agent.stopping', 'reachagent.suspend.resumed')
        OR type IN ('reachagent.reachability.changed', 'reachagent.journal.degraded') AND state_in(type, data) IS NOT NULL
), ordered AS (
    SELECT *, least(time, moment(data ->> 'observed')) AS observed,
        lag(stream) OVER devices AS stream_before, lag(type) OVER devices AS type_before
    FROM numbered
    WINDOW devices AS (PARTITION BY device ORDER BY began, seq)
), mark AS (
    -- The states that begin with each event, in the order of `step`; connectivity is null where the one before a suspend goes on.
    SELECT device, stream, began, seq, time, part.*
    FROM ordered AS entry CROSS JOIN LATERAL (
        SELECT 0 AS step,
            coalesce(
                (SELECT past.time FROM event AS past
                    WHERE past.device = entry.device AND past.stream = entry.stream AND past.seq < entry.seq
                        AND entry.stream_before = entry.stream
                    ORDER BY past.seq DESC LIMIT 1),
                (SELECT past.time FROM event AS past
                    WHERE past.device = entry.device AND past.stream <> entry.stream AND past.stored < entry.stored
                    ORDER BY past.stored DESC, past.seq DESC LIMIT 1),
                time
            ) AS since,
            'unknown' AS connectivity, NULL AS via,
            CASE WHEN stream_before IS NULL OR stream_before <> stream THEN 'no_data' WHEN type_before = 'reachagent.agent.stopping' THEN 'agent_off'
                ELSE 'agent_crashed' END AS cause,
            NULL AS connectivity_before
        WHERE stream_before <> stream OR type = 'reachagent.agent.started'
        UNION ALL
        SELECT 1, time, 'unknown', NULL, 'agent_off', NULL
        WHERE type = 'reachagent.agent.stopping'
        UNION ALL
        SELECT 2, observed - CASE WHEN data ->> 'suspended_ms' ~ '^\d{1,12}$' THEN (data ->> 'suspended_ms')::bigint ELSE 0 END
            * interval '1 millisecond', 'unknown', NULL, 'suspended', NULL
        WHERE type = 'reachagent.suspend.resumed'
        UNION ALL
        SELECT 3, observed, NULL, NULL, NULL, NULL
        WHERE type = 'reachagent.suspend.resumed'
        UNION ALL
        -- The settled state of an event about missing ones is the one before too, unless a change to it is among them.
        SELECT 4, coalesce(observed, time), connectivity_of(to_state), to_state ->> 'via', coalesce(data #>> '{cause,code}', data ->> 'code'),
            connectivity_of(CASE type WHEN 'reachagent.journal.degraded' THEN to_state ELSE data -> 'from' END)
        WHERE to_state IS NOT NULL
    ) AS part
), begun AS (
    SELECT *, least(greatest(since, lag(since) OVER devices), time) AS start,
        lead(connectivity_before) OVER devices AS connectivity_after,
        count(*) FILTER (WHERE step NOT IN (2, 3)) OVER devices AS run
    FROM mark
    WINDOW devices AS (PARTITION BY device ORDER BY began, seq, step)
), continued AS (
    SELECT device, stream, seq, start, connectivity_after, lead(start) OVER devices AS until,
        CASE step WHEN 3 THEN first_value(connectivity) OVER runs ELSE connectivity END AS connectivity,
        CASE step WHEN 3 THEN first_value(via) OVER runs ELSE via END AS via,
        CASE step WHEN 3 THEN first_value(cause) OVER runs ELSE cause END AS cause
    FROM begun
    WINDOW devices AS (PARTITION BY device ORDER BY began, seq, step),
        runs AS (PARTITION BY device, run ORDER BY began, seq, step)
), checked AS (
    -- A change from another state than this one: one between the two is missing.
    SELECT *, via IS NOT NULL AND connectivity_after <> connectivity AS is_doubtful,
        -- A state from before the clock was set is known again from the first event after that.
        CASE WHEN start >= '2020-01-01Z' THEN start ELSE coalesce(
            (SELECT later.time FROM event AS later
                WHERE later.device = continued.device AND later.stream = continued.stream AND later.seq > continued.seq
                    AND later.time >= '2020-01-01Z' ORDER BY later.seq LIMIT 1), start) END AS since
    FROM continued
)
SELECT
    device,
    CASE WHEN is_doubtful THEN 'unknown' ELSE connectivity END AS connectivity,
    CASE WHEN is_doubtful THEN NULL ELSE via END AS via,
    CASE WHEN is_doubtful THEN 'no_data' ELSE cause END AS cause,
    since,
    until,
    coalesce(until, (SELECT event.time FROM event WHERE event.device = checked.device
        ORDER BY event.stored DESC, event.seq DESC LIMIT 1)) AS known_until
FROM checked
WHERE until IS NULL OR until > since;

-- Numbers that are missing: lost on the device before they were shipped (sink.lost), or left out by `types` of the sink.
CREATE OR REPLACE VIEW gap AS
SELECT device, stream, previous + 1 AS first_seq, seq - 1 AS last_seq, seq - previous - 1 AS count
FROM (
    SELECT device, stream, seq, lag(seq) OVER (PARTITION BY device, stream ORDER BY seq) AS previous FROM event
) AS numbered
WHERE seq > previous + 1;
