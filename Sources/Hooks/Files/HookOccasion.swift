/// When the hooks of a folder run: the sub-folders' names, and what they stand for.
package enum HookOccasion: String, Sendable, Hashable, CaseIterable {
    /// Directly in the folder: every settled change of the default path.
    case every = ""
    /// There is no path any more.
    case none = "none.d"
    /// The path leads over Wi-Fi now.
    case wifi = "wifi.d"
    /// The path leads over a mobile network now.
    case wwan = "wwan.d"
    /// The path leads over a cable now.
    case wired = "wired.d"
    /// The path leads over something else now.
    case other = "other.d"
    /// The connectivity became full.
    case online = "online.d"
    /// The connectivity is not full any more.
    case offline = "offline.d"
    /// An uplink, used or standby, changed.
    case uplink = "uplink.d"
}
