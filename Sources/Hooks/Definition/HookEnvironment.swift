/// The variables that a hook is given.
public enum HookEnvironment {
    /// Where programs without a slash are looked for, and the hook's own `PATH`.
    public static let path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
}
