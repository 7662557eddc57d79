internal import ForeignText
internal import Glibc
internal import LinuxSupport
internal import NIOCore

/// The users that may use the TCP ports: those that may use `http.sock`.
///
/// The lookup of a user's groups may query a server that hangs, so it runs on a thread of its own, once for all requests
/// of the user, and its result is cached. Used only on the event loop.
final class SocketMembers {
    /// The time for which an admission is cached.
    private static let validity: TimeAmount = .seconds(60)
    /// The time for which a refusal is cached: its text has the command that ends it, after which the user tries again.
    private static let validityOfRefusals: TimeAmount = .seconds(5)
    /// The maximum number of cached results.
    private static let maximumAnswers = 64
    /// The maximum number of requests of one user that wait for the lookup: they are kept until its end, also those of
    /// connections that are closed meanwhile.
    private static let maximumWaiting = 64

    private let refusal: @Sendable (UInt32) -> String?
    private let now: () -> NIODeadline
    private let queue = WorkQueue("members-", share: 1)
    /// The requests that wait for the lookup of their user.
    private var pending: [UInt32: [(String?) -> Void]] = [:]
    private var answers: [UInt32: (refusal: String?, until: NIODeadline)] = [:]

    /// - Parameters:
    ///   - now: The present time.
    ///   - refusal: Returns the text of a user's refusal, or `nil`; called on another thread.
    init(now: @escaping () -> NIODeadline = NIODeadline.now, refusal: @escaping @Sendable (UInt32) -> String?) {
        self.now = now
        self.refusal = refusal
    }

    /// - Parameter rights: The permissions of `http.sock`; `nil` if they are unknown.
    convenience init(_ rights: SocketRights?) {
        self.init { user in rights.map { $0.refusal(of: user) } ?? "only root may use this port" }
    }

    /// Decides whether a user may use the ports.
    ///
    /// - Parameter whenDecided: Called once, immediately or later, with the text of a refusal, or `nil` if the user is
    ///   admitted.
    func decide(_ user: UInt32?, in hub: StreamHub, _ whenDecided: @escaping (String?) -> Void) {
        guard let user else { return whenDecided("the user of this connection is not known; use http.sock") }
        if user == 0 || user == geteuid() { return whenDecided(nil) }
        if let answer = answers[user], answer.until > now() { return whenDecided(answer.refusal) }
        let waiting = pending[user]?.count ?? 0
        guard waiting < Self.maximumWaiting else {
            return whenDecided(
                "\(waiting) requests wait for the lookup of the user \(user); try again, or use http.sock"
            )
        }
        pending[user, default: []].append(whenDecided)
        guard waiting == 0 else { return }
        let isTaken = queue.add(for: .user(user), in: hub) { [refusal] in
            refusal(user)
        } _: { [self] result in
            switch result {
            case .success(let refusal):
                if answers.count >= Self.maximumAnswers { answers.removeAll() }
                answers[user] = (refusal, now() + (refusal == nil ? Self.validity : Self.validityOfRefusals))
                finish(user, refusal)
            case .failure(let error): finish(user, "cannot look up the user \(user): \(error)")
            }
        }
        if !isTaken { finish(user, "too many users are looked up at the moment; try again, or use http.sock") }
    }

    private func finish(_ user: UInt32, _ refusal: String?) {
        for whenDecided in pending.removeValue(forKey: user) ?? [] { whenDecided(refusal) }
    }

    /// Ends the thread.
    func stop() { queue.stop() }
}

/// The owner, the group and the permissions of a socket's file.
struct SocketRights: Sendable, Hashable {
    var path: String
    var owner: UInt32
    var group: UInt32
    var mode: UInt32

    /// Reads the permissions of a socket's file; `nil` for a socket without a file.
    init?(of descriptor: CInt) {
        guard let bound = ActivatedSockets.path(of: descriptor) else { return nil }
        // The agent's own sockets are bound under a temporary name.
        let path =
            bound.hasSuffix("/\(SocketName.http.temporaryName)")
            ? "\(bound.dropLast(SocketName.http.temporaryName.utf8.count))\(SocketName.http.fileName)" : bound
        var status = stat()
        guard !path.isEmpty, stat(path, &status) == 0 else { return nil }
        self.init(path: path, owner: status.st_uid, group: status.st_gid, mode: status.st_mode)
    }

    init(path: String, owner: UInt32, group: UInt32, mode: UInt32) {
        self.path = path
        self.owner = owner
        self.group = group
        self.mode = mode
    }

    /// Returns the refusal for a user without write permission to the file, with the command that grants it; `nil` for
    /// a user with that permission.
    ///
    /// Blocks while the account database is queried.
    func refusal(of user: UInt32) -> String? {
        if user == owner { return mode & 0o200 == 0 ? forbidden(user) : nil }
        if mode & 0o002 != 0 { return nil }
        guard mode & 0o020 != 0 else { return forbidden(user) }
        let entry: AccountDatabase.User?
        do throws(SystemError) {
            entry = try AccountDatabase.user(number: user)
        } catch {
            return "cannot look up the user \(user): \(error)"
        }
        let isMember = entry.map { AccountDatabase.groups(of: $0.name, with: $0.gid).contains(group) } ?? false
        return isMember ? nil : forbidden(user)
    }

    private func forbidden(_ user: UInt32) -> String {
        let name = AccountDatabase.userName(number: user) ?? "\(user)"
        let group = AccountDatabase.groupName(number: group) ?? "\(self.group)"
        guard mode & 0o020 != 0, self.group != 0 else {
            return "the user '\(ForeignText.shown(name))' may not use \(path); ask as its owner, or as root"
        }
        return """
            the user '\(ForeignText.shown(name))' is not a member of the group '\(ForeignText.shown(group))'; as root:
              usermod -aG \(ForeignText.shown(group)) \(ForeignText.shown(name))
            """
    }
}
