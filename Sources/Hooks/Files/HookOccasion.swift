/// The occasion on which the hooks of a directory run: the names of the subdirectories and their meanings.
package enum HookOccasion: String, Sendable, Hashable, CaseIterable {
    /// The directory itself: every settled change of the default path.
    case every = ""
    /// The path was lost.
    case none = "none.d"
    /// The path changed to Wi-Fi.
    case wifi = "wifi.d"
    /// The path changed to a cellular network.
    case wwan = "wwan.d"
    /// The path changed to a wired network.
    case wired = "wired.d"
    /// The path changed to another medium.
    case other = "other.d"
    /// The connectivity became full.
    case online = "online.d"
    /// The connectivity is no longer full.
    case offline = "offline.d"
    /// An uplink, used or standby, changed.
    case uplink = "uplink.d"
}
