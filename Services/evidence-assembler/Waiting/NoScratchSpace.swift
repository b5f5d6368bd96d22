import Blocking

/// The disk has no room for the signed copy of a capture, or fails: the capture must wait without blocking other captures.
struct NoScratchSpace: Error {}

/// Whether the error means that a capture found no room on disk. It says nothing of other captures, which may need less of the disk or
/// none, nor of the signer.
func isScratchFailure(_ error: any Error) -> Bool { error is NoScratchSpace || error is NamelessFile.Failure }
