import Blocking

/// The disk has no room for the signed copy of a capture, or fails: the capture must wait without blocking other captures.
struct NoRoom: Error {}

/// Whether the error means that a capture found no room on disk. It says nothing of other captures, which may need less of the disk or none,
/// nor of the signer.
func isWantOfRoom(_ error: any Error) -> Bool { error is NoRoom || error is NamelessFile.Failure }
