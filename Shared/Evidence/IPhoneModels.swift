/// The iPhones that a capture may come from, by marketing name and hardware identifier.
struct IPhoneModel: Sendable, Equatable {
    let name: String
    let identifier: String
    /// iPhone 12 to 17 Pro and Pro Max: those with LiDAR that the product supports.
    let isSupported: Bool
    /// Sizes of its photos in landscape, in pixels; empty where unknown.
    let photoSizes: [PhotoSize]

    /// The model with exactly this name or identifier; case counts for identifiers only in Apple's spelling, so neither is folded.
    static func find(_ text: String) -> IPhoneModel? { table[text] }

    private static let table: [String: IPhoneModel] = {
        var table: [String: IPhoneModel] = [:]
        for model in supported + others {
            table[model.name] = model
            table[model.identifier] = model
        }
        return table
    }()

    /// 4:3 of 12 megapixels, and the 16:9 and square crops the camera offers.
    private static let twelve = [PhotoSize(4032, 3024), PhotoSize(4032, 2268), PhotoSize(3024, 3024)]
    private static let fortyEight = twelve + [PhotoSize(8064, 6048)]
    private static let twentyFour = fortyEight + [PhotoSize(5712, 4284), PhotoSize(5712, 3213), PhotoSize(4284, 4284)]

    private static let supported: [IPhoneModel] = [
        ("iPhone 12 Pro", "iPhone13,3", twelve), ("iPhone 12 Pro Max", "iPhone13,4", twelve),
        ("iPhone 13 Pro", "iPhone14,2", twelve), ("iPhone 13 Pro Max", "iPhone14,3", twelve),
        ("iPhone 14 Pro", "iPhone15,2", fortyEight), ("iPhone 14 Pro Max", "iPhone15,3", fortyEight),
        ("iPhone 15 Pro", "iPhone16,1", twentyFour), ("iPhone 15 Pro Max", "iPhone16,2", twentyFour),
        ("iPhone 16 Pro", "iPhone17,1", twentyFour), ("iPhone 16 Pro Max", "iPhone17,2", twentyFour),
        ("iPhone 17 Pro", "iPhone18,1", twentyFour), ("iPhone 17 Pro Max", "iPhone18,2", twentyFour),
    ].map { IPhoneModel(name: $0.0, identifier: $0.1, isSupported: true, photoSizes: $0.2) }

    private static let others: [IPhoneModel] = [
        ("iPhone X", "iPhone10,6"), ("iPhone XR", "iPhone11,8"), ("iPhone XS", "iPhone11,2"), ("iPhone XS Max", "iPhone11,6"),
        ("iPhone 11", "iPhone12,1"), ("iPhone 11 Pro", "iPhone12,3"), ("iPhone 11 Pro Max", "iPhone12,5"),
        ("iPhone SE (2nd generation)", "iPhone12,8"), ("iPhone 12 mini", "iPhone13,1"), ("iPhone 12", "iPhone13,2"),
        ("iPhone 13 mini", "iPhone14,4"), ("iPhone 13", "iPhone14,5"), ("iPhone SE (3rd generation)", "iPhone14,6"),
        ("iPhone 14", "iPhone14,7"), ("iPhone 14 Plus", "iPhone14,8"), ("iPhone 15", "iPhone15,4"),
        ("iPhone 15 Plus", "iPhone15,5"), ("iPhone 16", "iPhone17,3"), ("iPhone 16 Plus", "iPhone17,4"),
        ("iPhone 16e", "iPhone17,5"), ("iPhone 17", "iPhone18,3"), ("iPhone Air", "iPhone18,4"),
    ].map { IPhoneModel(name: $0.0, identifier: $0.1, isSupported: false, photoSizes: []) }
}

/// Width and height in pixels, the longer first.
struct PhotoSize: Sendable, Hashable {
    let long: Int
    let short: Int
    init(_ first: Int, _ second: Int) {
        long = max(first, second)
        short = min(first, second)
    }
}
