/// Width and height of a picture in pixels, each at least 1.
public struct PixelSize: Codable, Sendable, Hashable {
    public let width: Int
    public let height: Int

    /// - Returns: `nil` unless both are at least 1.
    public init?(_ width: Int, _ height: Int) {
        guard (1...65_535).contains(width), (1...65_535).contains(height) else { return nil }
        self.width = width
        self.height = height
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let (width, height) = (try container.decode(Int.self, forKey: .width), try container.decode(Int.self, forKey: .height))
        guard let size = PixelSize(width, height) else {
            throw DecodingError.dataCorruptedError(forKey: .width, in: container, debugDescription: "not the size of a picture")
        }
        self = size
    }

    private enum CodingKeys: String, CodingKey { case width, height }
}
