internal import ArgumentParser
internal import EventJournal
internal import Glibc
internal import InputRecording
internal import NetlinkMonitor
internal import StateSocket

/// The agent cannot start.
enum StartFailure {
    /// Runs `body`; says why it failed in one sentence on standard error, and ends with the status that fits.
    static func orExit(_ body: () throws -> Void) throws {
        let (reason, status): (any Error, Int32)
        do {
            return try body()
        } catch let error as NetlinkError {
            return try Unavailable.orExit { () throws(NetlinkError) in throw error }
        } catch let error as JournalError {
            (reason, status) = (error, exitStatus(error))
        } catch let error as StateSocketError {
            (reason, status) = (error, exitStatus(error))
        } catch let error as RecordingError {
            (reason, status) = (error, exitStatus(error))
        }
        AgentLogger.fail("\(reason)")
        if status == ExitStatus.tryAgain {
            AgentLogger.fail("to watch beside it, use 'reachagent watch', or 'run --no-journal --no-sockets'")
        }
        throw ExitCode(status)
    }

    private static func exitStatus(_ error: JournalError) -> Int32 {
        switch error.cause {
        case .inUse: ExitStatus.tryAgain
        case .errno(let number): exitStatus(errno: number)
        case .malformed: ExitStatus.badConfiguration
        }
    }

    private static func exitStatus(_ error: RecordingError) -> Int32 {
        guard case .errno(let number) = error.cause else { return ExitStatus.badConfiguration }
        return exitStatus(errno: number)
    }

    private static func exitStatus(_ error: StateSocketError) -> Int32 {
        switch error.cause {
        case .inUse: ExitStatus.tryAgain
        case .errno(let number): exitStatus(errno: number)
        case .notASocket, .pathTooLong, .unknownGroup, .unsuitableDescriptor: ExitStatus.badConfiguration
        case .startedBefore, .eventLoop: ExitStatus.unavailable
        }
    }

    private static func exitStatus(errno number: Int32) -> Int32 {
        number == EACCES || number == EPERM ? ExitStatus.notPermitted : ExitStatus.badConfiguration
    }
}
