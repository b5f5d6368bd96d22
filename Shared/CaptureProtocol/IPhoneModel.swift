/// An iPhone model.
public struct IPhoneModel: Sendable, Equatable {
    /// Apple's product name, which is also in EXIF: "iPhone 15 Pro".
    public let name: String
    /// Hardware identifiers, such as "iPhone16,1"; some models have two.
    let identifiers: [String]
    /// True of iPhone 12 to 17 Pro and Pro Max, which have LiDAR.
    public let isSupported: Bool
    /// Sizes of its photos; empty for models that are not supported.
    public let photoSizes: Set<PhotoSize>
}

/// All known iPhones, by exact name or identifier.
public enum IPhoneModels {
    /// `nil` unless it is spelled exactly as Apple does.
    public static func find(_ text: String) -> IPhoneModel? { byText[text] }

    /// Whether the text names a model that is known to have no LiDAR sensor: all known iPhones but the Pro models from 12 on.
    public static func isWithoutLiDAR(_ text: String) -> Bool { find(text)?.isSupported == false }

    /// Whether two texts cannot mean the same model. An unknown name and an unknown identifier may.
    public static func contradict(_ first: String, _ second: String) -> Bool {
        guard first != second, isSpecific(first), isSpecific(second) else { return false }
        switch (find(first), find(second)) {
        case (let first?, let second?): return first != second
        case (nil, nil): return isIdentifier(first) == isIdentifier(second)
        default: return true
        }
    }

    /// False for "iPhone", which `UIDevice.model` returns on all models, and for an empty text.
    public static func isSpecific(_ text: String) -> Bool { text != "iPhone" && !text.isEmpty }

    /// "iPhone16,1" and the like.
    private static func isIdentifier(_ text: String) -> Bool { text.contains(",") }

    private static let byText: [String: IPhoneModel] = {
        var table: [String: IPhoneModel] = [:]
        for model in supported + others {
            for text in [model.name] + model.identifiers { table[text] = model }
        }
        return table
    }()

    /// 12 megapixels (4:3), and the camera's 16:9 and square crops of it.
    private static let twelve: Set = [PhotoSize(4032, 3024), PhotoSize(4032, 2268), PhotoSize(3024, 3024)]
    /// From iPhone 14 Pro on, also 48 megapixels.
    private static let fortyEight = twelve.union([PhotoSize(8064, 6048)])
    /// From iPhone 15 Pro on, also 24 megapixels, with the same crops.
    private static let twentyFour = fortyEight.union([PhotoSize(5712, 4284), PhotoSize(5712, 3213), PhotoSize(4284, 4284)])

    private static let supported: [IPhoneModel] = [
        ("iPhone 12 Pro", "iPhone13,3", twelve), ("iPhone 12 Pro Max", "iPhone13,4", twelve),
        ("iPhone 13 Pro", "iPhone14,2", twelve), ("iPhone 13 Pro Max", "iPhone14,3", twelve),
        ("iPhone 14 Pro", "iPhone15,2", fortyEight), ("iPhone 14 Pro Max", "iPhone15,3", fortyEight),
        ("iPhone 15 Pro", "iPhone16,1", twentyFour), ("iPhone 15 Pro Max", "iPhone16,2", twentyFour),
        ("iPhone 16 Pro", "iPhone17,1", twentyFour), ("iPhone 16 Pro Max", "iPhone17,2", twentyFour),
        ("iPhone 17 Pro", "iPhone18,1", twentyFour), ("iPhone 17 Pro Max", "iPhone18,2", twentyFour),
    ].map { IPhoneModel(name: $0.0, identifiers: [$0.1], isSupported: true, photoSizes: $0.2) }

    private static let others: [IPhoneModel] = [
        ("iPhone 6s", ["iPhone8,1"]), ("iPhone 6s Plus", ["iPhone8,2"]), ("iPhone SE", ["iPhone8,4"]),
        ("iPhone 7", ["iPhone9,1", "iPhone9,3"]), ("iPhone 7 Plus", ["iPhone9,2", "iPhone9,4"]),
        ("iPhone 8", ["iPhone10,1", "iPhone10,4"]), ("iPhone 8 Plus", ["iPhone10,2", "iPhone10,5"]),
        ("iPhone X", ["iPhone10,3", "iPhone10,6"]), ("iPhone XR", ["iPhone11,8"]), ("iPhone XS", ["iPhone11,2"]),
        ("iPhone XS Max", ["iPhone11,4", "iPhone11,6"]), ("iPhone 11", ["iPhone12,1"]), ("iPhone 11 Pro", ["iPhone12,3"]),
        ("iPhone 11 Pro Max", ["iPhone12,5"]), ("iPhone SE (2nd generation)", ["iPhone12,8"]), ("iPhone 12 mini", ["iPhone13,1"]),
        ("iPhone 12", ["iPhone13,2"]), ("iPhone 13 mini", ["iPhone14,4"]), ("iPhone 13", ["iPhone14,5"]),
        ("iPhone SE (3rd generation)", ["iPhone14,6"]), ("iPhone 14", ["iPhone14,7"]), ("iPhone 14 Plus", ["iPhone14,8"]),
        ("iPhone 15", ["iPhone15,4"]), ("iPhone 15 Plus", ["iPhone15,5"]), ("iPhone 16", ["iPhone17,3"]),
        ("iPhone 16 Plus", ["iPhone17,4"]), ("iPhone 16e", ["iPhone17,5"]), ("iPhone 17", ["iPhone18,3"]),
        ("iPhone Air", ["iPhone18,4"]),
    ].map { IPhoneModel(name: $0.0, identifiers: $0.1, isSupported: false, photoSizes: []) }
}

/// Width and height in pixels, in either orientation.
public struct PhotoSize: Sendable, Hashable {
    let long: Int
    let short: Int

    public init(_ first: Int, _ second: Int) {
        long = max(first, second)
        short = min(first, second)
    }
}
