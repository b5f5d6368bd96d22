import Foundation
import TestSupport

/// A packet as `ffprobe` sees it.
struct ProbedPacket: Decodable, Equatable {
    let pts: Int64
    let dts: Int64?
    let size: Int
    let position: Int64
    let hash: String
    let isKey: Bool

    private enum CodingKeys: String, CodingKey {
        case pts, dts, size, pos, flags
        case hash = "data_hash"
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        pts = try fields.decode(Int64.self, forKey: .pts)
        dts = try fields.decodeIfPresent(Int64.self, forKey: .dts)
        size = Int(try fields.decode(String.self, forKey: .size)) ?? -1
        position = Int64(try fields.decode(String.self, forKey: .pos)) ?? -1
        hash = try fields.decode(String.self, forKey: .hash).replacingOccurrences(of: "SHA256:", with: "").lowercased()
        isKey = try fields.decode(String.self, forKey: .flags).hasPrefix("K")
    }
}

extension MediaTool {
    /// The packets of one stream, in decoding order; `selector` such as "v:0".
    func packets(_ name: String, _ selector: String) throws -> [ProbedPacket] {
        struct Answer: Decodable { let packets: [ProbedPacket] }
        let output = try run(
            "ffprobe", ["-select_streams", selector, "-show_packets", "-show_data_hash", "sha256", "-of", "json", name])
        return try JSONDecoder().decode(Answer.self, from: output).packets
    }
}
