import Blocking
import CaptureProtocol
import Foundation
import Models
import Multipart
import NIOCore

/// Streams a multipart body's `file` part into a scratch file and hashes it.
actor FileIntake {
    /// The largest video, plus its multipart framing and other small parts.
    static let maximumBodyBytes = SizeLimits.video + 256 * 1024

    private let executor: BlockingExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let folder: String
    private let quota: ScratchQuota
    private var parser: MultipartParser
    private var total = 0
    private var received: ReceivedFile?
    private var part: (name: String, isFile: Bool)?
    private var partSize = 0

    struct ReceivedFile: Sendable {
        let file: ScratchFile
        /// As sent by the client; `nil` without one.
        let filename: String?
        /// The first bytes, for detecting the format.
        var prefix: [UInt8] = []
        var format: MediaFormat?
    }

    /// - Parameter executor: writes the files, since writing may block.
    init(boundary: MultipartBoundary, folder: String, quota: ScratchQuota, executor: BlockingExecutor) {
        self.executor = executor
        self.folder = folder
        self.quota = quota
        parser = MultipartParser(boundary: boundary)
    }

    /// Reads the body to its end.
    /// - Throws: ``VerificationError``, ``NoScratchSpace``, `MultipartError`, and what the body throws.
    func read(_ body: some AsyncSequence<ByteBuffer, any Error> & Sendable) async throws -> ReceivedFile {
        for try await chunk in body {
            total += chunk.readableBytes
            guard total <= Self.maximumBodyBytes else { throw VerificationError.fileTooLarge }
            try parser.feed(Array(chunk.readableBytesView)) { event in
                switch event {
                case .partBegan(let headers): try begin(headers)
                case .partData(let data): try append(data)
                case .partEnded: part = nil
                }
            }
        }
        try parser.finish()
        guard let received else { throw VerificationError.fileMissing }
        guard received.file.sizeBytes > 0 else {
            // A browser sends an empty file name if no file was chosen.
            throw received.filename == "" ? VerificationError.fileMissing : .fileEmpty
        }
        return received
    }

    private func begin(_ headers: PartHeaders) throws {
        let isFile = headers.name == UploadPart.file.rawValue
        part = (headers.name, isFile)
        partSize = 0
        guard isFile else { return }
        guard received == nil else { throw VerificationError.fileTwice }
        received = ReceivedFile(file: try ScratchFile(in: folder, of: quota), filename: headers.filename)
    }

    private func append(_ data: ArraySlice<UInt8>) throws {
        guard let part else { return }
        partSize += data.count
        guard part.isFile else {
            guard partSize <= SizeLimits.unknownPart else { throw VerificationError.partTooLarge(name: part.name) }
            return
        }
        guard var current = received else { return }
        if current.prefix.count < MediaFormat.prefixBytes {
            current.prefix.append(contentsOf: data.prefix(MediaFormat.prefixBytes - current.prefix.count))
            current.format = MediaFormat.sniff(current.prefix)
            received = current
        }
        let limit = current.format?.isVideo == true ? SizeLimits.video : SizeLimits.file
        guard partSize <= limit else { throw VerificationError.fileTooLarge }
        try current.file.append(data)
    }
}
