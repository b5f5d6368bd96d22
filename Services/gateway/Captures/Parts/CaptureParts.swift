import CaptureProtocol
import Crypto
import Models
import NIOCore

/// The parts of one kind of capture as they come: what is stored is inspected while it streams by, what is small is collected.
protocol CaptureParts: Sendable {
    /// The maximum of the whole body, in bytes.
    static var bodyLimit: Int { get }
    /// The parts that are collected, with their maximum sizes in bytes.
    static var collected: [UploadPart: Int] { get }

    /// The object that a part is streamed to; `nil` for a part that is not stored.
    static func object(of part: UploadPart) -> MediaName?

    /// A part that is stored begins.
    mutating func begin(_ name: MediaName)

    /// The next bytes of a part that is stored.
    /// - Throws: ``CaptureError`` if it is too large.
    mutating func inspect(_ bytes: ByteBuffer, of name: MediaName) throws

    /// A part was stored.
    /// - Parameter hasher: has hashed the part and nothing else.
    mutating func end(_ object: StoredMedia, _ name: MediaName, hasher: SHA256)

    /// A part was collected.
    /// - Parameter bytes: `nil` if there were too many.
    mutating func collect(_ bytes: [UInt8]?, of part: UploadPart)
}
