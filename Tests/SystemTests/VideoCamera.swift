import Foundation
import TestSupport
import Testing

/// A simulated phone that records, and what became of its recordings.
struct VideoCamera: Sendable {
    struct Outcome: Sendable {
        let id: String
        let confidence: String
        let verdict: String
        let reason: String
        let chain: String
        let chainReason: String
        let verifiedMilliseconds: String
        let breakAt: String
        let hardware: String
        let credentials: String
        let names: [String]
    }

    let stack: LocalStack
    let folder: URL

    init() throws {
        stack = try #require(LocalStack.current)
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("rial-camera-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private static let short = SharedRecording()

    /// The folder of a recording of a second that nobody signed, made once.
    static func shortRecording() async throws -> URL { try await short.folder() }

    private actor SharedRecording {
        private var made: URL?

        func folder() async throws -> URL {
            if let made { return made }
            let path = try await VideoCamera().record("room", "--seconds", "1", "--size", "160x120", "--unsigned")
            let folder = URL(fileURLWithPath: path)
            made = folder
            return folder
        }
    }

    private func rial(_ arguments: [String]) async throws -> String {
        try await LocalStack.run(
            Phone.program, arguments, stack.addresses.merging(["RIAL_DEVICE_STATE": folder.path + "/device.json"]) { _, new in new })
    }

    /// - Returns: the folder of the recording.
    func record(_ scene: String, _ more: String...) async throws -> String { try await record(scene, more) }

    func record(_ scene: String, _ more: [String]) async throws -> String {
        let out = folder.path + "/" + UUID().uuidString
        _ = try await rial(["video", "record", "--scene", scene, "--out", out] + more)
        return out
    }

    func spoil(_ recording: String, _ how: String, _ more: String...) async throws -> String {
        let out = folder.path + "/" + UUID().uuidString
        _ = try await rial(["video", "spoil", recording, "--out", out, "--how", how] + more)
        return out
    }

    /// Sends a recording and waits for its evidence.
    func sent(_ recording: String, _ more: String...) async throws -> Outcome {
        let output = try await rial(["video", "send", recording] + more)
        let id = try #require(output.split(separator: "\n").first { $0.hasPrefix("capture ") }).dropFirst("capture ".count)
        try await eventually("the video \(id) is complete") {
            try await stack.sql("SELECT status FROM captures WHERE id = '\(id)'") == ["complete"]
        }
        let row = try await stack.sql(
            """
            SELECT concat_ws('|', confidence_level, coalesce(evidence #>> '{depth_analysis,verdict}', ''),
                coalesce(evidence #>> '{depth_analysis,reason}', ''), evidence #>> '{hash_chain,status}',
                coalesce(evidence #>> '{hash_chain,reason}', ''), evidence #>> '{hash_chain,verified_duration_ms}',
                coalesce(evidence #>> '{hash_chain,break_at_frame}', ''), evidence #>> '{content_credentials,status}',
                concat_ws(' ', evidence #>> '{hardware_attestation,status}', evidence #>> '{hardware_attestation,reason}'))
            FROM captures WHERE id = '\(id)'
            """)
        let fields = try #require(row.first).split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        try #require(fields.count == 9)
        return Outcome(
            id: String(id), confidence: fields[0], verdict: fields[1], reason: fields[2], chain: fields[3], chainReason: fields[4],
            verifiedMilliseconds: fields[5], breakAt: fields[6], hardware: fields[8], credentials: fields[7],
            names: try await stack.sql("SELECT name FROM media_objects WHERE capture_id = '\(id)' ORDER BY name COLLATE \"C\""))
    }
}
