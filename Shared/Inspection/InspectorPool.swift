import CSandbox
import Foundation
import Models

/// Reads untrusted files, each in its own sandboxed process: see `c2pa-inspector`.
///
/// A file that makes the process hang, crash or run out of memory yields a result, not an error. The process has ended when the call
/// returns.
public struct InspectorPool: Sendable {
    /// A JPEG without an image (SOI, JFIF's APP0, EOI) and without Content Credentials.
    private static let blankPhoto: [UInt8] =
        [0xff, 0xd8, 0xff, 0xe0, 0, 16] + Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0, 0xff, 0xd9]

    private let program: SandboxedProgram
    private let anchorFiles: [String]
    private let limits: InspectionLimits

    /// - Parameters:
    ///   - executable: path of `c2pa-inspector`.
    ///   - trustAnchorsFile: PEM of certificates that vouch for signers; all three files are opened anew for every inspection.
    ///   - timestampAnchorsFile: PEM of certificates that vouch for time-stamp authorities.
    ///   - ownAnchorsFile: PEM of certificates that vouch for our own signers.
    ///   - concurrency: number of processes at once, at least one.
    ///   - waiting: number of further callers that may wait.
    public init(
        executable: String, trustAnchorsFile: String?, timestampAnchorsFile: String? = nil, ownAnchorsFile: String? = nil,
        concurrency: Int, waiting: Int, limits: InspectionLimits = InspectionLimits()
    ) {
        anchorFiles = [trustAnchorsFile, timestampAnchorsFile, ownAnchorsFile].map { $0 ?? "/dev/null" }
        self.limits = limits
        program = SandboxedProgram(executable: executable, label: "inspector", concurrency: concurrency, waiting: waiting, limits: limits)
    }

    /// Reads the Content Credentials of a file.
    ///
    /// - Parameters:
    ///   - fileDescriptor: a file, which has to stay open until the call returns. It is read from its start; its position does not move.
    ///   - mediaType: a MIME type of `MediaFormat`; `nil` to detect it from the file's first bytes.
    /// - Throws: ``InspectionError/busy`` at once if the queue is full.
    public func inspect(fileDescriptor: Int32, mediaType: String?) async throws(InspectionError) -> InspectionOutcome {
        let arguments = mediaType.map { ["--media-type", $0] } ?? []
        return try await program.run(arguments, on: fileDescriptor, files: anchorFiles).outcome(limits)
    }

    /// Checks that files can be inspected here: the sandbox blocks what it must, the anchors are certificates, and a photo can be read.
    /// Call it at start.
    ///
    /// - Throws: ``InspectionError/unavailable(_:)`` with what is wrong.
    public func selfTest() async throws(InspectionError) {
        let photo = rial_anonymous_file("blank")
        guard photo >= 0 else { throw .unavailable("a file in memory: \(String(cString: strerror(errno)))") }
        defer { close(photo) }
        guard write(photo, Self.blankPhoto, Self.blankPhoto.count) == Self.blankPhoto.count else {
            throw .unavailable("no room for a file of \(Self.blankPhoto.count) bytes")
        }
        try await program.selfTest(on: photo, files: anchorFiles)
        let outcome = try await inspect(fileDescriptor: photo, mediaType: "image/jpeg")
        guard case .report(let report) = outcome, report.state == .none else {
            throw .unavailable("a photo without Content Credentials was read as \(outcome)")
        }
    }
}
