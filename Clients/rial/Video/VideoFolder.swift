import CaptureKit
import Foundation
import RialClient

/// The parts of a video's upload in a folder, as the recorder writes them.
struct VideoFolder {
    let url: URL

    init(path: String) { url = URL(fileURLWithPath: path, isDirectory: true) }

    var isQuickTime: Bool { FileManager.default.fileExists(atPath: file(PartFile.quickTimeVideo).path) }
    var video: URL { file(PartFile.video(isQuickTime: isQuickTime)) }
    var depth: URL { file(PartFile.videoDepth) }
    var hashChain: URL { file(PartFile.hashChain) }
    var metadata: URL { file(PartFile.metadata) }
    var assertion: URL { file(PartFile.assertion) }
    /// There while an upload is to go on.
    var unfinishedUpload: URL { file("upload.json") }
    var isSigned: Bool { FileManager.default.fileExists(atPath: assertion.path) }

    /// - Parameter boundary: the same for each attempt that may go on.
    func upload(boundary: String = MultipartBody.randomBoundary()) throws -> VideoUpload {
        VideoUpload(
            boundary: boundary, video: try .file(at: video), isQuickTime: isQuickTime, depth: try .file(at: depth),
            hashChain: try .file(at: hashChain), metadata: try .file(at: metadata), assertion: isSigned ? try .file(at: assertion) : nil)
    }

    private func file(_ name: String) -> URL { url.appendingPathComponent(name) }
}
