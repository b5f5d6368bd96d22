/// An error that says that nothing is recorded: it ends the transaction that records a capture before its COMMIT. After an error of the
/// database that is in doubt.
protocol RecordingRefusal: Error {}
