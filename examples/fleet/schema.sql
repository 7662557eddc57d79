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

-- The newest state of each device's default path.
CREATE OR REPLACE VIEW state AS
SELECT DISTINCT ON (device)
    device,
    CASE WHEN data #>> '{to,via}' = 'none' THEN 'none' ELSE data #>> '{to,connectivity}' END AS connectivity,
    data #>> '{to,via}'                 AS via,
    data #>> '{to,path,interface}'      AS interface,
    data #>> '{to,connectivity_reason}' AS reason,
    (data ->> 'observed')::timestamptz  AS since
FROM event
WHERE type = 'reachagent.reachability.changed'
ORDER BY device, stored DESC, seq DESC;

-- The states of each device's default path one after the other. `until` is null for the present one.
CREATE OR REPLACE VIEW path AS
SELECT
    device,
    CASE WHEN data #>> '{to,via}' = 'none' THEN 'none' ELSE data #>> '{to,connectivity}' END AS connectivity,
    data #>> '{to,via}' AS via,
    data #>> '{cause,code}' AS cause,
    (data ->> 'observed')::timestamptz AS since,
    lead((data ->> 'observed')::timestamptz) OVER (PARTITION BY device, stream ORDER BY seq) AS until
FROM event
WHERE type = 'reachagent.reachability.changed';

-- Numbers that are missing: lost on the device before they were shipped (sink.lost), or left out by `types` of the sink.
CREATE OR REPLACE VIEW gap AS
SELECT device, stream, previous + 1 AS first_seq, seq - 1 AS last_seq, seq - previous - 1 AS count
FROM (
    SELECT device, stream, seq, lag(seq) OVER (PARTITION BY device, stream ORDER BY seq) AS previous FROM event
) AS numbered
WHERE seq > previous + 1;
