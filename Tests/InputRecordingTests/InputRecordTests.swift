import InputRecording
import Testing

/// A recording of the state machine's inputs.
@Suite struct InputRecordTests {
}
