/// The tables of a configuration file.
struct RootKeys: KeyTable {
    let agent = Subtable("agent", AgentKeys.all)
    let settle = Subtable("settle", SettleKeys.all)
    let interfaces = Subtable("interfaces", InterfaceKeys.all)
    let metered = Subtable("metered", MeteredKeys.all)
    let portal = Subtable("portal", PortalKeys.all)
    let connectivity = Subtable("connectivity", ConnectivityKeys.all)
    let limits = Subtable("limits", LimitKeys.all)
    let http = Subtable("http", HTTPKeys.all)
    let target = Subtable("target", TargetKeys.all)
    let probe = Subtable("probe", ProbeKeys.everything)
    let hooks = Subtable("hooks", HooksKeys.all)
    let hook = Subtable("hook", HookKeys.everything)
    let sink = Subtable("sink", SinkKeys.all)

    static let keys = Self()
    static let all = KeyList(of: keys)
    /// The sections whose keys are settings, all read in the same way.
    static let sections = [
        keys.agent, keys.settle, keys.interfaces, keys.metered, keys.portal, keys.connectivity, keys.limits, keys.http,
        keys.hooks,
    ]
}
