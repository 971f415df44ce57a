"""The data sets of the paper and a single-cell data set: sources, terms, checksums, mirrors.

Every file has several mirrors, because hosts can be unavailable. Mirrors need not be trusted,
because every file must have the checksum listed here. Checksums are those of the files inside
archives, because UCI has repacked archives with the same content before.
"""

from __future__ import annotations

from ipcae.data.dataset import Dataset, File, Mirror
from ipcae.errors import InputError
from ipcae.text import similar_name

UCI = "https://archive.ics.uci.edu/static/public"
UCI_BEFORE_2023 = "https://archive.ics.uci.edu/ml/machine-learning-databases"
WAYBACK = "https://web.archive.org/web/2022id_"
GITHUB = "https://raw.githubusercontent.com"


def _images(bases: tuple[str, ...], *checksums: tuple[str, int]) -> tuple[File, ...]:
    """Return the four idx files of MNIST and Fashion-MNIST."""
    names = (
        "train-images-idx3-ubyte.gz",
        "train-labels-idx1-ubyte.gz",
        "t10k-images-idx3-ubyte.gz",
        "t10k-labels-idx1-ubyte.gz",
    )
    return tuple(
        File(name, sha256, size, tuple(Mirror(f"{base}/{name}") for base in bases))
        for name, (sha256, size) in zip(names, checksums, strict=True)
    )


def _isolet(path: str, sha256: str, size: int) -> File:
    old = f"{UCI_BEFORE_2023}/isolet/{path}.Z"
    mirrors = Mirror(f"{UCI}/54/isolet.zip", (f"{path}.Z",)), Mirror(old)
    return File(path, sha256, size, (*mirrors, Mirror(f"{WAYBACK}/{old}")))


def _har(path: str, sha256: str, size: int) -> File:
    inner = "UCI HAR Dataset.zip"
    path = f"UCI HAR Dataset/{path}"
    mirrors = (
        Mirror(f"{UCI}/240/human+activity+recognition+using+smartphones.zip", (inner, path)),
        Mirror(f"{UCI_BEFORE_2023}/00240/UCI%20HAR%20Dataset.zip", (path,)),
        Mirror(
            "https://d396qusza40orc.cloudfront.net/getdata%2Fprojectfiles%2FUCI%20HAR%20Dataset.zip",
            (path,),
        ),
    )
    return File(path, sha256, size, mirrors)


_MNIST = Dataset(
    name="mnist",
    title="70,000 handwritten digits",
    source="LeCun, Cortes and Burges",
    terms="CC BY-SA 3.0",
    url="https://yann.lecun.com/exdb/mnist/",
    n_features=784,
    n_classes=10,
    grid=(28, 28),
    files=_images(
        (
            "https://ossci-datasets.s3.amazonaws.com/mnist",
            "https://storage.googleapis.com/cvdf-datasets/mnist",
            "https://azureopendatastorage.blob.core.windows.net/mnist",
        ),
        ("440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609", 9_912_422),
        ("3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c", 28_881),
        ("8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6", 1_648_877),
        ("f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6", 4_542),
    ),
)

_FASHION_MNIST = Dataset(
    name="fashion_mnist",
    title="70,000 pieces of clothing",
    source="Xiao, Rasul and Vollgraf (2017), Zalando Research",
    terms="MIT",
    url="https://github.com/zalandoresearch/fashion-mnist",
    n_features=784,
    n_classes=10,
    grid=(28, 28),
    files=_images(
        (
            # This host has no HTTPS; the checksum is verified anyway.
            "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com",
            f"{GITHUB}/zalandoresearch/fashion-mnist/master/data/fashion",
            "https://storage.googleapis.com/tensorflow/tf-keras-datasets",
        ),
        ("3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84", 26_421_880),
        ("a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845", 29_515),
        ("346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073", 4_422_102),
        ("67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5", 5_148),
    ),
)

_ISOLET = Dataset(
    name="isolet",
    title="7,797 spoken letters of the alphabet",
    source="Cole and Fanty, UCI Machine Learning Repository 54",
    terms="CC BY 4.0",
    url="https://archive.ics.uci.edu/dataset/54/isolet",
    n_features=617,
    n_classes=26,
    files=(
        _isolet(
            "isolet1+2+3+4.data",
            "aa935cc98ec22ee689aa5b2ddf1fdce074692f7016f0255f0982df133ccbab38",
            32_445_949,
        ),
        _isolet(
            "isolet5.data",
            "d3409bb424f2bf9a68d0d07d4824b1d776b430d2e49c1207f00502a9e2f2a899",
            8_110_875,
        ),
    ),
)

_COIL20 = Dataset(
    name="coil20",
    title="1,440 photographs of 20 objects on a turntable",
    source="Nene, Nayar and Murase (1996), as scikit-feature publishes it",
    terms="research use",
    url="https://jundongl.github.io/scikit-feature/datasets.html",
    n_features=1024,
    n_classes=20,
    batch_size=16,
    grid=(32, 32),
    grid_order="F",
    files=(
        File(
            "COIL20.mat",
            "4595ebdda07f47b0eb014fcfaddc22b452f9aed9c1d9261a0d5bc336c1ee1344",
            3_024_549,
            (
                Mirror("https://jundongl.github.io/scikit-feature/files/datasets/COIL20.mat"),
                Mirror(f"{GITHUB}/jundongl/scikit-feature/master/skfeature/data/COIL20.mat"),
                Mirror("http://featureselection.asu.edu/files/datasets/COIL20.mat"),
            ),
        ),
    ),
)

_HAR = Dataset(
    name="har",
    title="10,299 windows of smartphone motion, 30 people, 6 activities",
    source="Anguita et al. (2013), UCI Machine Learning Repository 240",
    terms="no commercial use; cite the authors",
    url="https://archive.ics.uci.edu/dataset/240/human+activity+recognition+using+smartphones",
    n_features=561,
    n_classes=6,
    files=tuple(
        _har(*file)
        for file in (
            (
                "train/X_train.txt",
                "9c1246099c8d5463779eec5a3845cc3898df9d8c715441ab2a1232d4421fc42f",
                66_006_256,
            ),
            (
                "train/y_train.txt",
                "415b3357e2e2d5e70a45c781947c6bdd80e0410a579d862eedcd6bbce3c694ef",
                14_704,
            ),
            (
                "train/subject_train.txt",
                "66e1e2fbe9b396fa5155f531dc3348c803f503be663e2318772d49947db9153a",
                20_152,
            ),
            (
                "test/X_test.txt",
                "99035209add50d17650e847d8a4658d784a5707466ebb7c2deb97c28e5250a78",
                26_458_166,
            ),
            (
                "test/y_test.txt",
                "2a94cb53ca46b956c1b2aebd4a09a72badd8a8e9ea9cdfe9f31b3306a08666bb",
                5_894,
            ),
            (
                "test/subject_test.txt",
                "63b8c577f4a85431c06bd87f6384608c90a9f72f05c7956dd21255dc63515c07",
                7_934,
            ),
            (
                "features.txt",
                "b384889885b1c8680ecf250e0e605b4c79536cdf09ce9f2fa7225a3c6773b5c7",
                15_785,
            ),
            (
                "activity_labels.txt",
                "f6e6b292704438261f0283b2a82659ab0661447dc16520938bdf379ed1bf8de0",
                80,
            ),
        )
    ),
)

_MICE_PROTEIN = Dataset(
    name="mice_protein",
    title="1,080 measurements of 77 proteins in the cortex of 72 mice",
    source="Higuera, Gardiner and Cios (2015), UCI Machine Learning Repository 342",
    terms="CC BY 4.0",
    url="https://archive.ics.uci.edu/dataset/342/mice+protein+expression",
    n_features=77,
    n_classes=8,
    n_selected=10,
    batch_size=16,
    files=(
        File(
            "Data_Cortex_Nuclear.xls",
            "3524cd48a609e5987a911aae87873d2140302e5f2eccbbb410b5d1430f0a5bef",
            1_628_672,
            (
                Mirror(f"{UCI}/342/mice+protein+expression.zip", ("Data_Cortex_Nuclear.xls",)),
                Mirror(f"{UCI_BEFORE_2023}/00342/Data_Cortex_Nuclear.xls"),
                Mirror(f"{WAYBACK}/{UCI_BEFORE_2023}/00342/Data_Cortex_Nuclear.xls"),
            ),
            twin=File(
                "Data_Cortex_Nuclear.csv",
                "1d6722b089db85dccfcb84d62e7299dcffd17b41223c3da54321890b63fff7ad",
                1_010_610,
            ),
        ),
    ),
)

_WORM_NEURON = Dataset(
    name="worm_neuron",
    title="4,186 single neurons of a worm, counts of 13,488 genes, 10 cell types",
    source="Cao et al. (2017), as scDeepCluster publishes it",
    terms="Apache-2.0",
    url="https://github.com/ttgump/scDeepCluster",
    n_features=13_488,
    n_classes=10,
    in_paper=False,
    files=(
        File(
            "worm_neuron_cell.h5",
            "4f2a3c4b8492bcd11d957a8a74098ba258c271d714718c175854a7c44b1e31e6",
            2_658_922,
            tuple(
                Mirror(f"{base}/scRNA-seq%20data/worm_neuron_cell.h5")
                for base in (
                    f"{GITHUB}/ttgump/scDeepCluster/master",
                    "https://cdn.jsdelivr.net/gh/ttgump/scDeepCluster@master",
                )
            ),
        ),
    ),
)

CATALOGUE: dict[str, Dataset] = {
    dataset.name: dataset
    for dataset in (_MNIST, _FASHION_MNIST, _ISOLET, _COIL20, _HAR, _MICE_PROTEIN, _WORM_NEURON)
}
"""All data sets by name."""


def named(name: str | Dataset) -> Dataset:
    """Return the entry of this name; an entry is returned unchanged.

    Examples
    --------
    >>> named("mnist").grid
    (28, 28)
    >>> named("isolett")
    Traceback (most recent call last):
    ...
    ipcae.errors.InputError: there is no data set "isolett": did you mean isolet?
    """
    if isinstance(name, Dataset):
        return name
    if name in CATALOGUE:
        return CATALOGUE[name]
    near = similar_name(name, CATALOGUE)
    advice = f"did you mean {near}?" if near else f"there are {', '.join(CATALOGUE)}."
    raise InputError(f'there is no data set "{name}": {advice}')
