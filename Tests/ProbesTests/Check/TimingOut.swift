/// Returns the result of a check that times out at the point that a test is about.
///
/// A busy machine may not get there within the timeout, so the check is then repeated once, with ten seconds. The last
/// result is returned in any case: the test has to expect that it got there.
///
/// - Parameters:
///   - timeout: The timeout of the first check.
///   - gotThere: Returns true for a result that got to the point.
///   - check: Makes the check with a timeout.
func timingOut<Result>(
    after timeout: Duration,
    where gotThere: (Result) -> Bool,
    _ check: (Duration) async throws -> Result
) async rethrows -> Result {
    let result = try await check(timeout)
    return gotThere(result) ? result : try await check(.seconds(10))
}
