package import Dispatch

extension Duration {
    /// The duration for Dispatch, not negative, and at most a year.
    package var dispatchInterval: DispatchTimeInterval {
        let limited = min(max(self, .zero), .seconds(365 * 86_400))
        return .nanoseconds(Int(limited / .nanoseconds(1)))
    }
}
