/// The resources that the checks of one prober share.
final class CheckServices: Sendable {
    let resolver: any HostResolver
    let contexts = TLSContexts()
    let interfaces = LocalInterfaces()
    let evaluations = EvaluationThreads()

    init(resolver: any HostResolver) { self.resolver = resolver }
}
